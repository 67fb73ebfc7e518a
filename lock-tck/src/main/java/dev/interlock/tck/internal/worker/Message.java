package dev.interlock.tck.internal.worker;

import dev.interlock.tck.internal.spi.SpiTrace;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** What goes over the pipes between the kit and a worker JVM. */
sealed interface Message extends Serializable {

  /** Run a task on a thread of a space, which comes into being at its first use. */
  record Run(long id, String space, Opener opener, String thread, Task<?> task)
      implements Message {}

  /** Close a space. */
  record Close(long id, String space) implements Message {}

  /** Tell the clock's reading. */
  record Clock(long id) implements Message {}

  /** Tell the last calls at the SPI, see {@link SpiTrace#calls}. */
  record Calls(long id, String space, long from, long to, String lock) implements Message {}

  /** Tells without being asked that this JVM stood still. */
  record Stood(Stall stall) implements Message {}

  /** A request's answer; the error if it failed. */
  record Reply(long id, @Nullable Object value, @Nullable Throwable error) implements Message {}
}
