package dev.interlock.bench.runs;

import dev.interlock.measure.Latency;
import dev.interlock.measure.Statistics;

/**
 * What one way to fence costs.
 *
 * @param way what the transaction does
 * @param transactions how many
 * @param latency from the first statement to the end of the commit
 * @param toPlain the median as a ratio to that of the plain transaction, turn by turn
 */
public record FencedWritesResult(
    String way, long transactions, Latency latency, Statistics.Ratio toPlain) {}
