package dev.interlock.compare.facts;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The questions of the part <i>What happens when ...</i>, in its order. */
public enum Happening {
  HOLDER_KILLED(
      "holderKilled",
      "the holder's JVM is killed",
      "A JVM that holds and renews a lease of 1 s gets SIGKILL; until a waiter in another JVM has"
          + " the lock. The lease was renewed up to a third of it before, so 0.67 to 1 lease is left."),
  HOLDER_PAUSED(
      "holderPaused",
      "the holder pauses beyond its lease",
      "A JVM that holds and renews a lease of 1 s gets SIGSTOP, and SIGCONT 2.5 s later. It finds"
          + " out by itself when it wakes, to about a millisecond, and then releases."),
  REPLY_LOST(
      "replyLost",
      "a reply is lost",
      "A TCP proxy swallows the server's answer to the last round trip of an acquire, then to that"
          + " of a release, and cuts the connection. Another client asks the server for the hold."),
  WAITER_INTERRUPTED(
      "waiterInterrupted",
      "a waiter is interrupted",
      "From the interrupt to the return of acquire, the median of five; and until the server has as"
          + " many keys or rows as before the wait."),
  MANY_WAITERS(
      "manyWaiters",
      "a lock with many waiters is released",
      "Requests of four clients in one JVM begin to wait one after the other. The first one that"
          + " gets the lock keeps it for 0.3 s, in which the attempts of all others are counted; then"
          + " each releases at once. Order is that of the moments at which they had it. An overtake is a waiter"
          + " that came before one that had waited longer. Commands are what the server counts, those"
          + " in scripts included."),
  NAME_USED_ONCE(
      "nameUsedOnce",
      "a name is used once",
      "Keys or rows of the run's namespace, and their bytes, beyond those of a client that has used"
          + " another name: after acquire and release, when the lease of 0.5 s has passed as well, and"
          + " 0.5 s after the end of a lease that was not released, and of some hundred more names"
          + " that were released. A table's bytes come in whole pages."),
  IDLE(
      "idle",
      "a holder and a waiter are idle",
      "What the server counts in a whole number of renewals, of a client that holds a renewed"
          + " lease, and how much more when another client waits for it; commands in scripts"
          + " included."),
  CLIENT_CLOCK(
      "clientClock",
      "the clock of a client jumps",
      "The wall clock of a JVM whose client holds and renews a lease of 2 s, and waits for another"
          + " lock, is set forward by 5 min, and back in a second round; 2.5 s are watched. The other"
          + " client is in another JVM, whose clock is right; of a lock within one JVM it is in the"
          + " same. The machine's clock is not touched: the classes outside the JDK are made to see"
          + " another one."),
  SERVER_CLOCK(
      "serverClock",
      "the clock of the server jumps",
      "Where the provider asks the server for the time through a function of its own in the"
          + " database, that function is made to say 5 min more, and as before in a second round,"
          + " under a holder that renews a lease of 2 s and a waiter; 2.5 s are watched. The machine's"
          + " clock is not touched."),
  RIGHTS(
      "rights",
      "its account has few rights",
      "Redis counts the commands of one round with all rights: two clients open, one locks and"
          + " renews, the other waits, inspects and gets the lock, operators list and force. An"
          + " account with these commands, on the keys of the namespace (of a peer: with the lock's"
          + " name in theirs) and the channels that were listened on, does the same; then again"
          + " without each of the three commands that are sent most, with more effort without each of all. In a database"
          + " it is an account with the rights that the operators' page names, then without each of"
          + " them. A round that ends with a time-out, a lost lease or no answer is done once more,"
          + " three times as patiently."),
  STATE_LOST(
      "stateLost",
      "all state is lost",
      "All keys or rows are removed under a holder that renews a lease of 3 s, and a waiter of"
          + " another client. Then three more holds are taken."),
  SERVER_KILLED(
      "serverKilled",
      "the server is killed and comes back",
      "SIGKILL and a start at once, under a holder that renews a lease of 6 s and four waiters of"
          + " two clients. The server has the settings of the test servers: Redis keeps nothing on"
          + " disk, MySQL every commit. Whether the lock is still held is asked through a new client;"
          + " of a library that cannot be asked, the server is, for the key or the row of the hold. If"
          + " there are fencing tokens, the name was used 50 times before."),
  FAIL_OVER(
      "failOver",
      "another server takes the place of one that fails",
      "The first of a pair of servers, a Redis master or a primary of MariaDB or PostgreSQL, is killed under a"
          + " holder that renews a lease of 10 s and a waiter of another client, three where there is an"
          + " order. The second is promoted, and the address leads to it at once; in a"
          + " first round when it has received all, in a second one when it lost its link"
          + " before the grant. Replication is asynchronous, unless the words say otherwise. The"
          + " holder releases when it is told of the loss and another has the lock, else after 5 s, or"
          + " 15 s if its hold is gone. A quorum: one of three members is"
          + " killed.");

  private final String key;
  private final String title;
  private final String method;

  Happening(String key, String title, String method) {
    this.key = key;
    this.title = title;
    this.method = method;
  }

  /** The name in report.json. */
  public String key() {
    return key;
  }

  /** The name on the command line, such as {@code holder-killed}. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one with this name on the command line. */
  public static Optional<Happening> find(String option) {
    return Stream.of(values()).filter(one -> one.option().equals(option)).findFirst();
  }

  /** The names on the command line, for messages. */
  public static String knownOptions() {
    return Stream.of(values()).map(Happening::option).collect(Collectors.joining(", "));
  }

  /**
   * Whether it may be looked at beside others, on a server of its own: that mostly is to wait, and
   * a machine with some more to do does not change what is said.
   */
  public boolean bearsOthers() {
    return this == IDLE || this == FAIL_OVER;
  }

  /** Goes on after "What happens when". */
  public String title() {
    return title;
  }

  /** How it is brought about and measured. */
  public String method() {
    return method;
  }
}
