package dev.interlock.compare.cli;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What a terminal can show: where it has no Unicode, it gets ASCII that says the same. */
public final class Terminal {
  private static final Map<Character, String> PLAIN =
      Map.of('µ', "u", '…', "...", '→', "->", '–', "-", '×', "x", '≤', "<=", '✓', "+", '✕', "x");

  private Terminal() {}

  /** The encoding of the standard output, as the JVM or else the system's locale tells it. */
  static Charset charset() {
    return charset(System.getProperty("stdout.encoding"), System.getProperty("native.encoding"));
  }

  static Charset charset(String... names) {
    return Stream.of(names)
        .flatMap(name -> Optional.ofNullable(name).stream())
        .filter(name -> !name.isEmpty() && Charset.isSupported(name))
        .map(Charset::forName)
        .findFirst()
        .orElse(StandardCharsets.UTF_8);
  }

  /** Whether it can show more than ASCII has. */
  public static boolean isUnicode() {
    return charset().newEncoder().canEncode('…');
  }

  /** A writer that replaces what cannot be shown. */
  public static PrintWriter writer(OutputStream out) {
    return writer(out, charset());
  }

  static PrintWriter writer(OutputStream out, Charset charset) {
    Writer encoded = new OutputStreamWriter(out, charset);
    return new PrintWriter(new Replacing(encoded, charset.newEncoder()), true);
  }

  private static final class Replacing extends FilterWriter {
    private final CharsetEncoder encoder;

    Replacing(Writer out, CharsetEncoder encoder) {
      super(out);
      this.encoder = encoder;
    }

    @Override
    public void write(int c) throws IOException {
      write(Character.toString((char) c), 0, 1);
    }

    @Override
    public void write(char[] text, int start, int length) throws IOException {
      write(new String(text, start, length), 0, length);
    }

    @Override
    public void write(String text, int start, int length) throws IOException {
      String part = text.substring(start, start + length);
      synchronized (lock) {
        out.write(encoder.canEncode(part) ? part : replaced(part));
      }
    }

    private String replaced(String text) {
      StringBuilder plain = new StringBuilder();
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        plain.append(encoder.canEncode(c) ? Character.toString(c) : PLAIN.getOrDefault(c, "?"));
      }
      return plain.toString();
    }
  }
}
