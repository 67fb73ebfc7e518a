package dev.interlock.testservers;

import dev.interlock.testservers.internal.database.MysqlSources;
import dev.interlock.testservers.internal.source.Surroundings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a test server.
 *
 * <p>Any setting but {@link #from} rules out a given server, since its settings are not ours; the
 * next source is used then. Not thread-safe; {@link #start} can be called several times and starts
 * one more server each time.
 */
public final class MysqlServerBuilder {
  private final Surroundings<MysqlSource> surroundings;
  private final List<String> options = new ArrayList<>();
  private boolean owned;
  private boolean mariaDbProcess;
  private @Nullable MysqlSource only;

  MysqlServerBuilder(Surroundings<MysqlSource> surroundings) {
    this.surroundings = surroundings;
    this.only = surroundings.only();
  }

  /**
   * Adds a server option, such as {@code option("max-connections", "20")}.
   *
   * @throws IllegalArgumentException if name or value has a character that an option cannot have
   */
  public MysqlServerBuilder option(String name, String value) {
    if (!name.matches("[a-z][a-z0-9_-]*") || !value.matches("[A-Za-z0-9 _:.,+/=-]*")) {
      throw new IllegalArgumentException("Not a server option: " + name + "=" + value);
    }
    options.add("--" + name + "=" + value);
    return this;
  }

  /** Asks for a server of this test's own, one that can be stopped, paused and killed. */
  public MysqlServerBuilder owned() {
    this.owned = true;
    return this;
  }

  /**
   * Asks for MariaDB as a process on this machine, which is what servers need that talk to one
   * another; a setting that allows other sources only does not count for it.
   */
  MysqlServerBuilder asMariaDbProcess() {
    this.owned = true;
    this.mariaDbProcess = true;
    if (only == MysqlSource.GIVEN || only == MysqlSource.DOCKER) {
      this.only = null;
    }
    return this;
  }

  /** Takes the server from this source only, whatever the system property says. */
  public MysqlServerBuilder from(MysqlSource source) {
    this.only = source;
    return this;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @throws TestServerException if there is no server to be had, or it does not start within 60 s;
   *     the message says what was tried
   */
  public MysqlServer start() {
    return new MysqlSources(surroundings, List.copyOf(options), owned, mariaDbProcess)
        .startAny(only);
  }
}
