package dev.interlock.compare;

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
  public void close() {}
}
