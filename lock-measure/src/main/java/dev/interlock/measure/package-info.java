/**
 * Measures locks, whoever made them: sections of threads that compete, hand-offs between clients,
 * and what the figures say.
 */
@NullMarked
package dev.interlock.measure;

import org.jspecify.annotations.NullMarked;
