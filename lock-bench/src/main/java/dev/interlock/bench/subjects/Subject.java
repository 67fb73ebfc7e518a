package dev.interlock.bench.subjects;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.server.ServerAddress;

/**
 * A lock library, or one of its kinds of lock, that is measured. Immutable.
 *
 * @param id names it on the command line
 * @param label names it in the report
 * @param kind what its figures are compared as
 * @param library the library with its version
 * @param factory opens a client of it
 */
public record Subject(String id, String label, Kind kind, String library, Factory factory) {

  /** What a subject is in the comparison. */
  public enum Kind {
    /** The least that a lock of this sort can cost: the measure of all others. */
    FLOOR,
    /** Another library. */
    PEER,
    /** A provider of Interlock. */
    OURS
  }

  /** Opens clients. */
  @FunctionalInterface
  public interface Factory {
    /**
     * Opens one client with connections of its own.
     *
     * @param server where it connects to
     * @param threads how many threads will use it at once
     */
    SectionClient open(ServerAddress server, int threads);
  }
}
