/**
 * The steps that the engine asks for: attempts, releases, renewals, looks. Each becomes a script,
 * and the answer of the script a result.
 */
@NullMarked
package dev.interlock.redis.hash.internal.backend;

import org.jspecify.annotations.NullMarked;
