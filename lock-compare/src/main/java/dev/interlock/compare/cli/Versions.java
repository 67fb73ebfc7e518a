package dev.interlock.compare.cli;

import picocli.CommandLine.IVersionProvider;

/** Tells the version of this build. */
public final class Versions implements IVersionProvider {

  @Override
  public String[] getVersion() {
    return new String[] {"interlock " + product(), "JDK " + Runtime.version()};
  }

  /** The version in the jar's manifest; there is none when classes run from a directory. */
  public static String product() {
    String version = Versions.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }
}
