/** Locks for Spring Boot applications. */
@NullMarked
package dev.interlock.spring;

import org.jspecify.annotations.NullMarked;
