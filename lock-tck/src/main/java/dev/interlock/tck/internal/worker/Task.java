package dev.interlock.tck.internal.worker;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Something to do in a worker. Written as a lambda in a rule; captures only serializable values,
 * for it may travel to another JVM.
 */
@FunctionalInterface
public interface Task<T extends @Nullable Object> extends Serializable {
  T run(WorkerSpace space) throws Exception;
}
