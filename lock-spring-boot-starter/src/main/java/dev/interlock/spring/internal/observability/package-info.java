/**
 * What operators see of locks: meters, observations, health, and what the endpoint lists as held.
 */
@NullMarked
package dev.interlock.spring.internal.observability;

import org.jspecify.annotations.NullMarked;
