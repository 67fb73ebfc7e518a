package dev.interlock.tck.teststore;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** One atomic step on the server, sent to it over a connection. */
@FunctionalInterface
interface Command extends Serializable {
  @Nullable
  Serializable run(Store store);
}
