package dev.interlock.spring;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;

/** What was logged as an error, by anyone in this JVM; {@link NoErrorLogged} asks for it. */
public final class ErrorLog extends AppenderBase<ILoggingEvent> {
  private static final LinkedBlockingQueue<String> ERRORS = new LinkedBlockingQueue<>();

  @Override
  protected void append(ILoggingEvent event) {
    ERRORS.add("%s on %s: %s%n%s"
        .formatted(
            event.getLoggerName(),
            event.getThreadName(),
            event.getFormattedMessage(),
            ThrowableProxyUtil.asString(event.getThrowableProxy())));
  }

  /** Takes what was logged since the last time. A test that causes an error takes it itself. */
  static List<String> take() {
    List<String> taken = new ArrayList<>();
    ERRORS.drainTo(taken);
    return taken;
  }
}
