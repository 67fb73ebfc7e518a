/**
 * From a URI or settings to an open client: finds the provider, checks the options, and joins its
 * backend with the engine. Nothing here runs once a client is open.
 */
@NullMarked
package dev.interlock.internal.opening;

import org.jspecify.annotations.NullMarked;
