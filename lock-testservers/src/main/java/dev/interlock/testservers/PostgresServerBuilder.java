package dev.interlock.testservers;

import dev.interlock.testservers.internal.database.PostgresSettings;
import dev.interlock.testservers.internal.database.PostgresSources;
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
public final class PostgresServerBuilder {
  private final Surroundings<PostgresSource> surroundings;
  private final List<String> options = new ArrayList<>();
  private boolean owned;
  private boolean process;
  private String followed = "";
  private @Nullable PostgresSource only;

  PostgresServerBuilder(Surroundings<PostgresSource> surroundings) {
    this.surroundings = surroundings;
    this.only = surroundings.only();
  }

  /**
   * Adds a server option, such as {@code option("max_connections", "20")}.
   *
   * @throws IllegalArgumentException if name or value has a character that an option cannot have
   */
  public PostgresServerBuilder option(String name, String value) {
    if (!name.matches("[a-z][a-z0-9_.]*") || !value.matches("[A-Za-z0-9 _:.,+/=-]*")) {
      throw new IllegalArgumentException("Not a server option: " + name + "=" + value);
    }
    options.add("-c");
    options.add(name + "=" + value);
    return this;
  }

  /** Asks for a server of this test's own, one that can be stopped, paused and killed. */
  public PostgresServerBuilder owned() {
    this.owned = true;
    return this;
  }

  /** Takes the server from this source only, whatever the system property says. */
  public PostgresServerBuilder from(PostgresSource source) {
    this.only = source;
    return this;
  }

  /**
   * Asks for a process on this machine, which is what servers need that talk to one another; a
   * setting that allows other sources only does not count for it.
   */
  PostgresServerBuilder asProcess() {
    this.owned = true;
    this.process = true;
    if (only == PostgresSource.GIVEN || only == PostgresSource.DOCKER) {
      only = null;
    }
    return this;
  }

  /**
   * Asks for a standby, made by a copy of another server's data. That server is down while this one
   * starts for the first time, and its settings say how it is reached.
   */
  PostgresServerBuilder standbyOf(String data) {
    this.followed = data;
    return this;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @throws TestServerException if there is no server to be had, or it does not start within 60 s;
   *     the message says what was tried
   */
  public PostgresServer start() {
    return new PostgresSources(
            surroundings, new PostgresSettings(List.copyOf(options), owned, process, followed))
        .startAny(only);
  }
}
