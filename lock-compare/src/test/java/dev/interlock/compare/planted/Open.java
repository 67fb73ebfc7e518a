package dev.interlock.compare.planted;

/** Public, not final, and nothing that may be so. */
public class Open {}
