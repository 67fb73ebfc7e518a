package dev.interlock.compare.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Sends what providers and libraries log into a file. The kit breaks locks on purpose, and the
 * warnings about it would bury the progress on the terminal.
 */
public final class RunLog implements AutoCloseable {
  private static final Logger ROOT = Logger.getLogger("");

  private final FileHandler file;
  private final Handler[] before;

  private RunLog(FileHandler file) {
    this.file = file;
    this.before = ROOT.getHandlers();
    for (Handler handler : before) {
      ROOT.removeHandler(handler);
    }
    ROOT.addHandler(file);
  }

  public static RunLog to(Path path) throws IOException {
    // A file handler's pattern gives the per cent sign a meaning.
    FileHandler file = new FileHandler(path.toString().replace("%", "%%"), false);
    file.setFormatter(new SimpleFormatter());
    file.setEncoding("UTF-8");
    return new RunLog(file);
  }

  @Override
  public void close() {
    ROOT.removeHandler(file);
    file.close();
    for (Handler handler : before) {
      ROOT.addHandler(handler);
    }
  }
}
