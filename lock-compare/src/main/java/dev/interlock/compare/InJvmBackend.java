package dev.interlock.compare;

import dev.interlock.tck.TckServer;
import java.util.Optional;

/** A provider without a server. */
record InJvmBackend(String uri) implements Backend {

  @Override
  public String origin() {
    return "this JVM";
  }

  @Override
  public boolean isInOneJvm() {
    return true;
  }

  @Override
  public Optional<ServerProbe> probe() {
    return Optional.empty();
  }

  @Override
  public Optional<TckServer> faults() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
