/**
 * Connections to the server: Connector/J, pools, what there is to know of the server at the other
 * end, and what its errors mean.
 */
@NullMarked
package dev.interlock.mysql.internal.connection;

import org.jspecify.annotations.NullMarked;
