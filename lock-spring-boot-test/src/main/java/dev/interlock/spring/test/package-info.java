/** Locks in the JVM for tests of Spring Boot applications, and assertions about them. */
@NullMarked
package dev.interlock.spring.test;

import org.jspecify.annotations.NullMarked;
