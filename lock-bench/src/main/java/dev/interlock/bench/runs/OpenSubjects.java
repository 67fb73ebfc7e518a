package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.server.ServerAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The clients of all subjects, open for the whole run: what one of them does in the background
 * burdens all alike. A subject that fails is measured no more. Not thread-safe.
 */
public final class OpenSubjects implements AutoCloseable {
  private final Map<Subject, List<SectionClient>> clients = new LinkedHashMap<>();
  private final List<SectionClient> opened = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final Progress progress;

  /**
   * Opens the clients that the largest scenario needs.
   *
   * @param count how many for each subject
   * @param threads how many threads will use one at once
   */
  public OpenSubjects(
      List<Subject> subjects, ServerAddress server, int count, int threads, Progress progress) {
    this.progress = progress;
    for (Subject subject : subjects) {
      try {
        clients.put(subject, open(subject, server, count, threads));
      } catch (RuntimeException e) {
        fail(subject, "open", e);
      }
    }
  }

  private List<SectionClient> open(Subject subject, ServerAddress server, int count, int threads) {
    List<SectionClient> mine = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SectionClient client = subject.factory().open(server, threads);
      opened.add(client);
      mine.add(client);
    }
    return List.copyOf(mine);
  }

  /** Returns the subjects that have not failed. */
  List<Subject> subjects() {
    return List.copyOf(clients.keySet());
  }

  /** Returns the same, beginning with another one each turn. */
  List<Subject> subjects(int turn) {
    List<Subject> turned = new ArrayList<>(clients.keySet());
    Collections.rotate(turned, -turn);
    return turned;
  }

  /** Has each subject do something, beginning with another one each turn. */
  void takeTurn(int turn, String where, Part part) throws InterruptedException {
    for (Subject subject : subjects(turn)) {
      try {
        part.of(subject);
      } catch (RuntimeException e) {
        fail(subject, where, e);
      }
    }
  }

  /** What a subject does when it is its turn. */
  interface Part {
    void of(Subject subject) throws InterruptedException;
  }

  List<SectionClient> clients(Subject subject, int count) {
    return clients.getOrDefault(subject, List.of()).subList(0, count);
  }

  /** Notes a failure and leaves the subject out from now on. */
  void fail(Subject subject, String where, RuntimeException error) {
    String message = error.getMessage() == null ? error.toString() : error.getMessage();
    Failure failure = new Failure(subject.id(), where, message);
    failures.add(failure);
    clients.remove(subject);
    progress.failed(failure);
  }

  public List<Failure> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    for (SectionClient client : opened) {
      try {
        client.close();
      } catch (RuntimeException e) {
        progress.note("a client could not be closed: " + e);
      }
    }
  }

  /**
   * A subject that could not be measured.
   *
   * @param subject its id
   * @param where the scenario, or what else was done
   * @param message why
   */
  public record Failure(String subject, String where, String message) {}
}
