package dev.interlock.testservers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;

/**
 * One connection that sends commands and reads their answers (RESP 2).
 *
 * <p>It exists so that a server can be checked without any of the clients under test. Not
 * thread-safe.
 */
final class RedisConnection implements AutoCloseable {

  /** The server answered, with an error. */
  static final class ErrorAnswer extends IOException {
    private static final long serialVersionUID = 1L;

    ErrorAnswer(String answer) {
      super(answer);
    }
  }

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RedisConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /**
   * Connects, authenticates and selects the database.
   *
   * @param limit for the connection, and again for each piece of an answer
   */
  static RedisConnection open(RedisEndpoint endpoint, Duration limit) throws IOException {
    Socket socket = new Socket();
    try {
      int millis = Math.toIntExact(limit.toMillis());
      socket.setSoTimeout(millis);
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), millis);
      SSLSocketFactory tls = endpoint.tls();
      if (tls != null) {
        socket = tls.createSocket(socket, endpoint.host(), endpoint.port(), true);
      }
      RedisConnection connection = new RedisConnection(socket);
      connection.authenticate(endpoint);
      return connection;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private void authenticate(RedisEndpoint endpoint) throws IOException {
    String user = endpoint.user();
    String password = endpoint.password();
    if (password != null) {
      if (user == null) {
        call("AUTH", password);
      } else {
        call("AUTH", user, password);
      }
    }
    if (endpoint.database() != 0) {
      call("SELECT", Integer.toString(endpoint.database()));
    }
  }

  String call(String... arguments) throws IOException {
    send(List.of(List.of(arguments)));
    return answer();
  }

  /** Sends commands in one piece and returns their answers; errors are among them. */
  List<String> callAll(List<List<String>> commands) throws IOException {
    send(commands);
    List<String> answers = new ArrayList<>();
    while (answers.size() < commands.size()) {
      answers.add(element());
    }
    return answers;
  }

  /** Waits for what the server sends unasked, after MONITOR. */
  String next() throws IOException {
    return answer();
  }

  private void send(List<List<String>> commands) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    for (List<String> command : commands) {
      request.writeBytes(ascii("*" + command.size() + "\r\n"));
      for (String argument : command) {
        byte[] bytes = argument.getBytes(StandardCharsets.UTF_8);
        request.writeBytes(ascii("$" + bytes.length + "\r\n"));
        request.writeBytes(bytes);
        request.writeBytes(ascii("\r\n"));
      }
    }
    request.writeTo(out);
    out.flush();
  }

  private String answer() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+', ':' -> rest;
      case '-' -> throw new ErrorAnswer(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      default -> throw new IOException("the answer is not RESP 2");
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "(nil)";
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("the connection ended within an answer");
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private String array(int length) throws IOException {
    if (length < 0) {
      return "(nil)";
    }
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      elements.add(element());
    }
    return String.join("\n", elements);
  }

  private String element() throws IOException {
    try {
      return answer();
    } catch (ErrorAnswer e) {
      // One element of several: the others follow it on the connection and belong to the answer.
      return "(error) " + e.getMessage();
    }
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection ended before an answer");
      }
      line.write(next);
    }
    String text = line.toString(StandardCharsets.UTF_8).stripTrailing();
    if (text.isEmpty()) {
      throw new IOException("the answer is empty");
    }
    return text;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
