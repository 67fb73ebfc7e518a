package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Capability;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.io.IOException;
import java.net.Socket;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The provider of {@link StoreServer}. */
public final class StoreProvider implements LockProvider {
  static final Option<List<HostPort>> HOSTS = Option.hosts(null).mandatory();
  static final Option<Fault> FAULT = Option.choice("fault", Fault.class, Fault.NONE);
  static final Option<Boolean> QUEUE = Option.bool("queue", false);
  static final Option<String> USER = Option.text("user", null).in(Option.Part.USER);
  static final Option<String> PASSWORD =
      Option.text("password", null).in(Option.Part.PASSWORD).secret();

  @Override
  public String id() {
    return "teststore";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> capabilities =
        EnumSet.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
    if (config.get(QUEUE)) {
      capabilities.add(Capability.FAIR);
    }
    return capabilities;
  }

  @Override
  public List<Option<?>> options() {
    return List.of(HOSTS, FAULT, QUEUE, USER, PASSWORD);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    ClientId client = context.client();
    HostPort server = config.get(HOSTS).get(0);
    config.find(PASSWORD).ifPresent(password -> logIn(server, password, config.get(FAULT)));
    return new StoreBackend(
            new StoreConnections(
                server.host(), server.port().orElseThrow(), client.id(), config.get(FAULT)),
            client,
            config.get(FAULT))
        .opened();
  }

  /** The server has no users: none may log in. */
  private static void logIn(HostPort server, String password, Fault fault) {
    try {
      new Socket(server.host(), server.port().orElseThrow()).close();
    } catch (IOException e) {
      String with = fault == Fault.QUOTES_PASSWORD ? " with password " + password : "";
      throw new BackendUnavailableException("no connection to " + server + with, e);
    }
    String wrong = fault == Fault.QUOTES_WRONG_PASSWORD ? password + " is wrong" : "no such user";
    throw new BackendUnavailableException("not logged in", new IOException(wrong));
  }
}
