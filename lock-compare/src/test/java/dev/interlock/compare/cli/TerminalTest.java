package dev.interlock.compare.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TerminalTest {
  @Test
  void without_unicode_the_same_is_said_in_ascii() {
    assertThat(written("Hand-off (µs) … – a → b, Füße\n", StandardCharsets.US_ASCII))
        .isEqualTo("Hand-off (us) ... - a -> b, F??e\n");
  }

  @Test
  void what_the_terminal_has_is_left_alone() {
    assertThat(written("Füße µs …", StandardCharsets.UTF_8)).isEqualTo("Füße µs …");
    assertThat(written("Füße µs …", StandardCharsets.ISO_8859_1)).isEqualTo("Füße µs ...");
  }

  @Test
  void the_encoding_is_that_of_the_output_then_that_of_the_system() {
    assertThat(Terminal.charset("US-ASCII", "UTF-8")).isEqualTo(StandardCharsets.US_ASCII);
    assertThat(Terminal.charset(null, "ANSI_X3.4-1968")).isEqualTo(StandardCharsets.US_ASCII);
    assertThat(Terminal.charset("no-such", null)).isEqualTo(StandardCharsets.UTF_8);
  }

  private static String written(String text, Charset charset) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintWriter writer = Terminal.writer(bytes, charset);
    writer.print(text.charAt(0));
    writer.print(text.substring(1).toCharArray());
    writer.flush();
    return bytes.toString(charset);
  }
}
