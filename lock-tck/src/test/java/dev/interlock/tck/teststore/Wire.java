package dev.interlock.tck.teststore;

import java.io.Serializable;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** What clients and server tell each other. */
final class Wire {
  /** Who attempts what. The clock is the client's, for those who would trust it. */
  record Request(
      String name,
      String id,
      String client,
      String host,
      String owner,
      long lease,
      boolean waits,
      boolean fair,
      boolean shared,
      int tokens,
      long clientClock,
      int units,
      int capacity,
      @Nullable String beside,
      long minToken)
      implements Serializable {

    /** The same of nobody, for what is left of a hold. */
    Request ofNobody() {
      return new Request(
          name,
          "nobody " + id,
          "",
          host,
          "",
          lease,
          false,
          false,
          false,
          1,
          clientClock,
          units,
          capacity,
          null,
          0);
    }

    /** The same for another lock. */
    Request named(String other) {
      return with(other, id);
    }

    /** The same by another attempt. */
    Request by(String other) {
      return with(name, other);
    }

    private Request with(String otherName, String otherId) {
      return new Request(
          otherName,
          otherId,
          client,
          host,
          owner,
          lease,
          waits,
          fair,
          shared,
          tokens,
          clientClock,
          units,
          capacity,
          beside,
          minToken);
    }

    boolean isForPermits() {
      return capacity != 1 && capacity != Integer.MAX_VALUE;
    }
  }

  /** The token of an answer that grants nothing. */
  static final long BUSY = -1;

  /** The token of an answer that a place in the queue was given or kept. */
  static final long QUEUED = -2;

  /** The same of one whose owner holds the lock. */
  static final long QUEUED_BEHIND_OWNER = -5;

  /** The token of an answer to who only looked. */
  static final long FREE = -3;

  /** The token of an answer for a lock that cannot be read. */
  static final long FAILED = -4;

  /** The answer. */
  record Answer(long token, int tokens, long recheck) implements Serializable {}

  /** The answer to a release that took an attempt along: what became of that. */
  record HandOff(@Nullable Answer next) implements Serializable {}

  /** What inspection tells. */
  record Info(
      String owner,
      String host,
      long since,
      long remaining,
      long token,
      int waiters,
      int units,
      int capacity,
      ArrayList<Info> others)
      implements Serializable {

    /** The same of another owner. */
    Info of(String other) {
      return new Info(other, host, since, remaining, token, waiters, units, capacity, others);
    }

    /** The same with another rest of a lease. */
    Info withRemaining(long other) {
      return new Info(owner, host, since, other, token, waiters, units, capacity, others);
    }
  }

  /** What a client is told without asking; the grant, too, for a fault. */
  record Event(String kind, String name, String id, Answer grant, long lease)
      implements Serializable {
    Event(String kind, String name, String id) {
      this(kind, name, id, new Answer(0, 1, 0), 0);
    }
  }

  /** One who stands in a queue. */
  record Place(String owner, String host, int units, int capacity) implements Serializable {}

  /** A part of the list of held locks, and from where on the rest is found. */
  record Page(
      ArrayList<String> names,
      ArrayList<Info> holds,
      @Nullable String next) implements Serializable {}

  private Wire() {}
}
