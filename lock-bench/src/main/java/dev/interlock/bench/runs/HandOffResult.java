package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock took from the client that released it to another one that waited for it.
 *
 * @param handOffs how often
 * @param latency from the call of the release to the moment when the waiter had the lock
 * @param toBestPeer the median as a ratio to that of the quickest peer, turn by turn: less is
 *     better; null without peers
 */
public record HandOffResult(
    String id,
    String label,
    Subject.Kind kind,
    String library,
    long handOffs,
    Latency latency,
    Statistics.@Nullable Ratio toBestPeer) {}
