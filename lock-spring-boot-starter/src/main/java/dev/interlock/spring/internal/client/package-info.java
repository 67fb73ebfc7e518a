/**
 * The clients of an application: their names, and how each is opened, where its properties say or
 * over a connection that the application has ({@code ClientOpener}).
 */
@NullMarked
package dev.interlock.spring.internal.client;

import org.jspecify.annotations.NullMarked;
