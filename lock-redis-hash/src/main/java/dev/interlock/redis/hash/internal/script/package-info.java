/**
 * The scripts, which lie in files beside {@code Scripts}: how they are sent, also with a wait for
 * replicas behind them, and how their answers are read.
 */
@NullMarked
package dev.interlock.redis.hash.internal.script;

import org.jspecify.annotations.NullMarked;
