package dev.interlock.redis.support;

/**
 * The keys of one lock, all with the same hash tag. The arrays are shared: nobody changes them.
 *
 * @param name the lock
 * @param bucket to which it belongs, from 0 to {@value KeyLayout#BUCKETS} - 1
 * @param lock who holds it; exists only while it is held
 * @param token the fencing counter of the bucket; stays
 * @param waiting who waits, in the order of arrival; exists only while somebody does
 * @param due until when each waiter counts as alive, by the server's clock
 */
@SuppressWarnings("ArrayRecordComponent") // bytes for the wire, never compared
public record LockKeys(
    String name, int bucket, byte[] lock, byte[] token, byte[] waiting, byte[] due) {}
