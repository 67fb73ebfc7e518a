package dev.interlock.testservers;

/** A MySQL or MariaDB server under a test's control. */
public interface MysqlServer extends DatabaseServer {}
