/** What stands between the clients under test and their server, and harms their connections. */
@NullMarked
package dev.interlock.tck.internal.fault;

import org.jspecify.annotations.NullMarked;
