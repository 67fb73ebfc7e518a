/**
 * A call of an annotated method, from its proxy ({@code LockedInterceptor}) to the end of its work,
 * which may be a stage or a publisher; what such calls share is in {@code LockedCalls}.
 */
@NullMarked
package dev.interlock.spring.internal.call;

import org.jspecify.annotations.NullMarked;
