package dev.interlock.compare.planted.internal.opening;

/** Opens a client. */
public interface Opener {}
