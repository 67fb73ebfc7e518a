package dev.interlock.tck.teststore;

import dev.interlock.tck.teststore.Wire.Event;
import java.io.Serializable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The server's state. {@link #execute} runs one command at a time. */
final class Store {
  /** What a command is answered that should be sent again. */
  static final String AGAIN = "again";

  static final String FULL = "the store is full";

  private final Fault fault;
  private final LockTable table;
  private final Grants grants;
  private final AttemptCommands attempts;
  private final HoldCommands holds;
  private final OperatorCommands operators;
  private final HandOffCommands handOffs;
  private int disturbances;
  private boolean readOnly;
  private boolean full;

  Store(Fault fault) {
    this.fault = fault;
    table = new LockTable(fault);
    grants = new Grants(table, fault);
    attempts = new AttemptCommands(this, table, grants, fault);
    holds = new HoldCommands(this, table, grants, fault);
    operators = new OperatorCommands(this, table, grants, fault);
    handOffs = new HandOffCommands(attempts, holds, table, grants, fault);
  }

  AttemptCommands attempts() {
    return attempts;
  }

  HoldCommands holds() {
    return holds;
  }

  OperatorCommands operators() {
    return operators;
  }

  HandOffCommands handOffs() {
    return handOffs;
  }

  synchronized void loseState() {
    table.clear();
    grants.tokens().lose();
  }

  /** Ends as a process does; what is durable is there afterwards. */
  synchronized void crash() {
    table.crash();
    grants.tokens().crash();
    if (table.isEmpty()) {
      grants.tokens().lose();
    }
  }

  synchronized void disturb() {
    disturbances = 2;
  }

  synchronized void readOnly(boolean on) {
    readOnly = on;
  }

  synchronized void full(boolean on) {
    full = on;
  }

  synchronized void spoil(String name) {
    table.spoil(name);
  }

  synchronized @Nullable Serializable execute(String client, Command command) {
    grants.asks(client);
    if (disturbances > 0) {
      disturbances--;
      throw new IllegalStateException(AGAIN);
    }
    return command.run(this);
  }

  synchronized void joined(String client) {
    table.joined(client);
  }

  synchronized void left(String client) {
    table.left(client);
  }

  void subscribe(String client, Consumer<Event> subscriber) {
    grants.subscribe(client, subscriber);
  }

  /** Unless the client has subscribed again meanwhile. */
  void unsubscribe(String client, Consumer<Event> subscriber) {
    grants.unsubscribe(client, subscriber);
  }

  /** Counts what is kept. What has expired and is wanted by nobody goes, as by a time to live. */
  synchronized long entries() {
    return table.entries();
  }

  void requireWritable() {
    if (readOnly) {
      throw new IllegalStateException("the store is read-only");
    }
    if (full && fault == Fault.FULL_MEANS_STUCK) {
      throw new IllegalStateException(FULL);
    }
  }

  /** For what a store with a fault does to parts of a lock only if it has room. */
  void requireRoomForPart() {
    if (full && fault == Fault.FULL_MEANS_PARTS_STUCK) {
      throw new IllegalStateException(FULL);
    }
  }

  /** For what adds to what is kept. */
  void requireRoom() {
    if (full) {
      throw new IllegalStateException(FULL);
    }
  }
}
