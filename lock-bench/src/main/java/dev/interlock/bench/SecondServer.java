package dev.interlock.bench;

import dev.interlock.bench.runs.Progress;
import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestServerException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server of this machine that {@link ExtraMeasurement#BYSTANDER} compares the measured one
 * with, if there is one.
 *
 * @param extras what is measured with what there is
 */
record SecondServer(Set<ExtraMeasurement> extras, @Nullable PostgresServer server)
    implements AutoCloseable {

  /**
   * Starts it, if the bystander is among the extras and can show something. It is started before
   * anything is measured, so whoever did not ask for the bystander gets the other figures without
   * it.
   *
   * @param byName whether the user named the extras
   * @param given whether the measured server is the user's, which may be on another machine
   * @param start starts the server
   * @throws TestServerException if the user named the bystander, and the server cannot be had
   */
  static SecondServer forBystander(
      Set<ExtraMeasurement> extras,
      boolean byName,
      boolean given,
      List<Subject> subjects,
      Supplier<PostgresServer> start,
      Progress progress) {
    if (!extras.contains(ExtraMeasurement.BYSTANDER)) {
      return new SecondServer(extras, null);
    }
    if (subjects.stream().noneMatch(subject -> subject.kind() == Subject.Kind.OURS)) {
      return without(extras, "it is measured beside Interlock's own locks only", progress);
    }
    if (given && !byName) {
      return without(
          extras,
          "the second server would be on this machine; --scenarios bystander measures it all the"
              + " same",
          progress);
    }
    try {
      return new SecondServer(extras, start.get());
    } catch (TestServerException e) {
      if (byName) {
        throw e;
      }
      return without(extras, "there is no second server: " + e.getMessage(), progress);
    }
  }

  private static SecondServer without(
      Set<ExtraMeasurement> extras, String reason, Progress progress) {
    progress.note("bystander is left out: " + reason);
    Set<ExtraMeasurement> others = EnumSet.copyOf(extras);
    others.remove(ExtraMeasurement.BYSTANDER);
    return new SecondServer(others, null);
  }

  /** Where it is. */
  @Nullable
  ServerAddress address() {
    return server == null ? null : ServerAddress.parse(ServerKind.POSTGRES, server.uri());
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
