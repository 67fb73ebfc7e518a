/**
 * A small lock server and its provider: sound, or broken in one chosen way, to test the kit with.
 */
@NullMarked
package dev.interlock.tck.teststore;

import org.jspecify.annotations.NullMarked;
