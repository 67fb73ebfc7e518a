package dev.interlock.spring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The warnings of the starter while it is open. */
final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.interlock.spring");
  private final Level before = logger.getLevel();
  private final List<String> messages = new CopyOnWriteArrayList<>();

  LogCapture() {
    logger.setLevel(Level.WARNING);
    logger.addHandler(this);
  }

  List<String> messages() {
    return messages;
  }

  @Override
  public void publish(LogRecord entry) {
    messages.add(new SimpleFormatter().formatMessage(entry));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
