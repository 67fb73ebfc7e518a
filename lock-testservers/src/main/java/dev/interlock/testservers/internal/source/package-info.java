/**
 * Where a server comes from: each source is asked in its order ({@code ServerSources}), by what
 * this JVM was told and finds ({@code Surroundings}, {@code DockerDaemon}).
 */
@NullMarked
package dev.interlock.testservers.internal.source;

import org.jspecify.annotations.NullMarked;
