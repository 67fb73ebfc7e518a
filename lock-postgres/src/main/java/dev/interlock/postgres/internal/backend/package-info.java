/** What a client asks of locks: each is a call of a function at the server, which has the queue. */
@NullMarked
package dev.interlock.postgres.internal.backend;

import org.jspecify.annotations.NullMarked;
