package dev.interlock.bench.runs;

import dev.interlock.measure.Statistics;

/**
 * What the other users of a database notice of a lock that is fought for there.
 *
 * @param sectionsPerSecond of the lock on the bystander's server, the median of the rounds
 * @param commitsPerSecond of the bystander meanwhile, likewise
 * @param elsewhere the same while the lock is on another server of the machine
 * @param toElsewhere the first as a ratio to the second, round by round: 1 if nothing is noticed
 */
public record BystanderResult(
    String id,
    String label,
    double sectionsPerSecond,
    double commitsPerSecond,
    double elsewhere,
    Statistics.Ratio toElsewhere) {}
