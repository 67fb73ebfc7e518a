package dev.interlock.tck.internal.history;

import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The holds of one thread in a file, each entered when it begins and again when it ends, so that
 * those of a JVM that is killed are known too. For one thread at a time.
 */
public final class Journal implements Closeable {
  private final OutputStream out;

  private Journal(OutputStream out) {
    this.out = out;
  }

  public static Journal open(Path file) throws IOException {
    return new Journal(new FileOutputStream(file.toFile(), true));
  }

  /** Enters a hold, in one write that is with the system when this returns. */
  public void enter(Hold hold) throws IOException {
    out.write((hold.row() + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Reads the journals of a directory; of a hold that was entered twice the second entry counts.
   */
  public static List<Hold> readAll(Path directory) throws IOException {
    Map<String, Hold> holds = new LinkedHashMap<>();
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String text = Files.readString(file);
        // Without the last line if a crash has cut it off.
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
          Hold hold = Hold.ofRow(line);
          holds.put(hold.owner(), hold);
        }
      }
    }
    return List.copyOf(holds.values());
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
