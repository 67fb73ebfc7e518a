package dev.interlock;

import java.time.Duration;
import java.time.Instant;

/**
 * What the server says of a held lock, at the moment it was asked. For operators and diagnostics:
 * it may be outdated on arrival, so never decide from it whether a lock may be entered.
 *
 * <p>A client may pass a lock among its own waiting threads without telling the server. Seen from
 * another client, {@code owner}, {@code since} and {@code fencingToken} are then those of the first
 * holder in that sequence.
 *
 * @param name the lock's name
 * @param owner the logical owner, or a description of the holder where none was named
 * @param host the holder's host name and process id
 * @param since when the hold began, by the server's clock
 * @param remaining how long the lease lasts unless it is renewed, by the server's clock
 * @param fencingToken the hold's fencing token; 0 where the provider is not FENCED
 * @param waiters how many waiters the server knows of; a client may stand for several threads
 */
public record HoldInfo(
    String name,
    String owner,
    String host,
    Instant since,
    Duration remaining,
    long fencingToken,
    int waiters) {}
