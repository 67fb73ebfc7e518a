package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * What one subject costs when nobody else wants the lock.
 *
 * @param cycles how often it was acquired and released
 * @param acquire how long acquiring took
 * @param cycle how long acquiring and releasing took
 * @param toFloor the median cycle as a ratio to the floor's, turn by turn: less is better
 */
public record UncontendedResult(
    String id,
    String label,
    Subject.Kind kind,
    String library,
    long cycles,
    Latency acquire,
    Latency cycle,
    Statistics.@Nullable Ratio toFloor) {}
