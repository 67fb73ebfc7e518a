/** Measures lock providers beside other libraries' locks, in the same run on the same server. */
@NullMarked
package dev.interlock.bench;

import org.jspecify.annotations.NullMarked;
