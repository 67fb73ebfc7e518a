/**
 * What an attempt of this client, and the hold that comes of it, has on the members: by which ids,
 * in which queues, how it is renewed and repaired there, and how it is released and given back.
 */
@NullMarked
package dev.interlock.quorum.internal.hold;

import org.jspecify.annotations.NullMarked;
