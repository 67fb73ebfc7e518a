package dev.interlock.redis.support.jedis;

/**
 * Where a command is to be sent.
 *
 * @param server to it
 * @param asking whether its slot is on the way there: each command is announced by {@code ASKING}
 * @param hops how many servers have sent it elsewhere
 */
public record Target(Server server, boolean asking, int hops) {}
