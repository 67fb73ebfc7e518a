/**
 * What the annotations of a method say: read and checked at start ({@code LockedMethods}), and told
 * to a native image. Takes no lock.
 */
@NullMarked
package dev.interlock.spring.internal.annotation;

import org.jspecify.annotations.NullMarked;
