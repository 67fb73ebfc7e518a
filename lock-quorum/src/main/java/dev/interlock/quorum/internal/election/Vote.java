package dev.interlock.quorum.internal.election;

import dev.interlock.spi.AttemptResult;
import org.jspecify.annotations.Nullable;

/**
 * What one member says to an attempt.
 *
 * @param answer its answer
 * @param mark by which it was trusted when it was looked at behind a grant, and had remembered all
 *     up to then; null if it was not looked at, or had not
 */
record Vote(AttemptResult answer, @Nullable String mark) {}
