package dev.interlock.compare.facts;

import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.testservers.RedisServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Looks which commands a lock sends to a Redis server, and lets an account that may do no more. */
final class RedisRights {
  private static final String USER = "fact-rights";
  private static final String PASSWORD = "fact";
  private static final String COMMAND = "cmdstat_";
  private static final int POLLS = 20;
  private static final int POLL_MILLIS = 50;

  /**
   * Keys and channels that an account may use.
   *
   * @param rules for {@code ACL SETUSER}
   * @param words the same for people
   */
  private record Scope(List<String> rules, String words) {}

  private final Backend backend;
  private final RedisServer server;
  private final Set<String> keys = new TreeSet<>();
  private final Set<String> channels = new TreeSet<>();
  private final Map<String, Long> commands = new TreeMap<>();

  /** What was not sent by the lock. */
  private final Map<String, Long> own = new TreeMap<>();

  RedisRights(Backend backend, RedisServer server) {
    this.backend = backend;
    this.server = server;
  }

  /**
   * Looks.
   *
   * @param takenAway how many of the commands are taken away again, one at a time
   */
  Fact observe(int takenAway) throws InterruptedException {
    count();
    Map<String, Double> figures = new TreeMap<>();
    figures.put("commands", (double) commands.size());
    List<Scope> scopes = scopes();
    for (Scope scope : scopes) {
      Optional<String> failure = as(scope.rules());
      boolean last = scope.equals(scopes.get(scopes.size() - 1));
      if (failure.isEmpty() || last) {
        figures.put("enough", failure.isEmpty() ? 1.0 : 0.0);
        figures.put("narrow", scope.equals(scopes.get(0)) ? 1.0 : 0.0);
        String words = "It sends " + String.join(", ", names(commands.keySet()))
            + ". With these on " + scope.words() + ", and nothing else, an account "
            + Rights.does(backend, failure);
        String without = failure.isPresent() ? "" : without(scope.rules(), takenAway, figures);
        return Fact.seen(Happening.RIGHTS, words + without, figures);
      }
    }
    throw new IllegalStateException("there is no scope");
  }

  /** From the narrowest to all. */
  private List<Scope> scopes() {
    List<String> onKeys = keys.stream().map(pattern -> "~" + pattern).toList();
    List<String> onChannels = channels.stream().map(pattern -> "&" + pattern).toList();
    String keyWords = "keys " + shown(keys);
    return List.of(
        new Scope(
            joined(onKeys, onChannels),
            keyWords
                + (channels.isEmpty() ? " and no channel" : " and channels " + shown(channels))),
        new Scope(joined(onKeys, List.of("allchannels")), keyWords + " and all channels"),
        new Scope(List.of("allkeys", "allchannels"), "all keys and channels"));
  }

  private static List<String> joined(List<String> some, List<String> more) {
    List<String> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  /** What becomes of it without the commands that are sent most. */
  private String without(List<String> rules, int takenAway, Map<String, Double> figures)
      throws InterruptedException {
    List<String> spare = new ArrayList<>();
    Map<String, Set<String>> missed = new TreeMap<>();
    List<String> most = commands.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(takenAway)
        .map(Map.Entry::getKey)
        .toList();
    for (String command : most) {
      Optional<String> thrown = as(joined(rules, List.of("-" + command)));
      if (thrown.isPresent()) {
        missed.computeIfAbsent(thrown.get(), name -> new TreeSet<>()).add(command);
      } else {
        spare.add(command);
      }
    }
    figures.put("takenAway", (double) most.size());
    figures.put("spare", (double) spare.size());
    String ends = missed.entrySet().stream()
        .map(one -> " Without " + String.join(" or ", names(one.getValue())) + " it ends with "
            + one.getKey() + ".")
        .collect(Collectors.joining());
    return ends
        + (spare.isEmpty() ? "" : " It does without " + String.join(", ", names(spare)) + ".");
  }

  private static List<String> names(Iterable<String> commands) {
    List<String> names = new ArrayList<>();
    commands.forEach(command -> names.add(command.toUpperCase(Locale.ROOT).replace('|', ' ')));
    return names;
  }

  /** The namespace of a run tells nobody anything. */
  private String shown(Set<String> patterns) {
    String all = String.join(", ", patterns);
    return backend.names().isEmpty() ? all : all.replace(backend.names(), "NAMESPACE");
  }

  /** Counts what a client sends that may do everything. */
  private void count() throws InterruptedException {
    forgetScripts();
    Map<String, Long> before = calls();
    // A question is counted once it is answered: this one is in the next count, the last in none.
    own.clear();
    Optional<String> failure = RightsCycle.run(backend.uri(), this::look);
    if (failure.isPresent()) {
      throw new IllegalStateException("it ends with " + failure.get() + ", with all rights");
    }
    calls().forEach((command, calls) -> {
      long sent = calls - before.getOrDefault(command, 0L) - own.getOrDefault(command, 0L);
      if (sent > 0) {
        commands.put(command, sent);
      }
    });
  }

  /** Looks which keys are there, and who listens on what. */
  private void look() throws InterruptedException {
    // Ours begin with the namespace; other libraries' have the lock's name in them.
    String mark = backend.names().isEmpty() ? RightsCycle.NAME : backend.names();
    for (String key : ask("KEYS", "*" + mark + "*")) {
      int at = key.indexOf(mark);
      keys.add(backend.names().isEmpty() ? "*" + mark + "*" : key.substring(0, at) + mark + ":*");
    }
    for (int i = 0; i < POLLS && channels.isEmpty(); i++) {
      // The last part names a client, or a lock.
      ask("PUBSUB", "CHANNELS").forEach(name -> channels.add(name.replaceFirst("[^:]*$", "*")));
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private List<String> ask(String... command) {
    String name = command[0].toLowerCase(Locale.ROOT);
    own.merge(name, 1L, Long::sum);
    // Versions before 7 do not count subcommands by themselves.
    own.merge(name + "|" + command[1].toLowerCase(Locale.ROOT), 1L, Long::sum);
    return server.command(command).lines().filter(line -> !line.isBlank()).toList();
  }

  /** A script that the server knows already is not sent to it. */
  private void forgetScripts() {
    server.command("SCRIPT", "FLUSH");
  }

  private Map<String, Long> calls() {
    Map<String, Long> calls = new TreeMap<>();
    for (String line : ask("INFO", "commandstats")) {
      if (line.startsWith(COMMAND)) {
        String[] parts = line.substring(COMMAND.length()).split(":calls=|,", 3);
        calls.put(parts[0], Long.parseLong(parts[1]));
      }
    }
    return calls;
  }

  /** Does all as an account with these rights and the commands, and removes it. */
  private Optional<String> as(List<String> rules) throws InterruptedException {
    List<String> command = new ArrayList<>(
        List.of("ACL", "SETUSER", USER, "reset", "on", ">" + PASSWORD, "resetchannels"));
    commands.keySet().forEach(name -> command.add("+" + name));
    command.addAll(rules);
    server.command(command.toArray(String[]::new));
    forgetScripts();
    try {
      return RightsCycle.run(LockUris.withAccount(backend.uri(), USER, PASSWORD), () -> {});
    } finally {
      server.command("ACL", "DELUSER", USER);
    }
  }
}
