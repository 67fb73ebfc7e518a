package dev.interlock.testservers;

/** A PostgreSQL server under a test's control. */
public interface PostgresServer extends DatabaseServer {}
