/** What is compared, and its server. */
@NullMarked
package dev.interlock.compare.servers;

import org.jspecify.annotations.NullMarked;
