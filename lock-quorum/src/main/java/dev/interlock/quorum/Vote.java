package dev.interlock.quorum;

import dev.interlock.spi.AttemptResult;

/**
 * What one member says to an attempt.
 *
 * @param answer its answer
 * @param isKept whether it was looked at behind a grant, and has remembered all up to then
 */
record Vote(AttemptResult answer, boolean isKept) {}
