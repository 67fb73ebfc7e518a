/** What is measured: the floors, other libraries, and the providers. */
@NullMarked
package dev.interlock.bench.subjects;

import org.jspecify.annotations.NullMarked;
