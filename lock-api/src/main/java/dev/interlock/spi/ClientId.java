package dev.interlock.spi;

/**
 * Who a client is towards the server.
 *
 * @param id 16 hexadecimal digits, random for each client; the upper half of its hold ids, and fit
 *     for the name of a mailbox
 * @param host host name and process id, for operators
 */
public record ClientId(String id, String host) {}
