package dev.interlock.cli;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the command line within this JVM, as the main class does. */
final class Cli {

  /**
   * What came of it.
   *
   * @param status the exit status
   * @param out standard output
   * @param err standard error
   */
  record Outcome(int status, String out, String err) {
    JsonNode json() {
      return JsonMapper.shared().readTree(out);
    }
  }

  private Cli() {}

  static Outcome run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Operators.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setColorScheme(Help.defaultColorScheme(Ansi.OFF))
        .execute(args);
    return new Outcome(status, out.toString(), err.toString());
  }

  /** The same with an operator who answers. */
  static Outcome answering(String answer, String... args) {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(answer.getBytes(Charset.defaultCharset())));
    try {
      return run(args);
    } finally {
      System.setIn(before);
    }
  }
}
