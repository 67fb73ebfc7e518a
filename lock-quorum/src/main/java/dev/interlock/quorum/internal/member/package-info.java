/**
 * The members: how each is called, alone or in batches, on whose thread, when it is left out as
 * silent, and whether it remembers what it granted and may vote.
 */
@NullMarked
package dev.interlock.quorum.internal.member;

import org.jspecify.annotations.NullMarked;
