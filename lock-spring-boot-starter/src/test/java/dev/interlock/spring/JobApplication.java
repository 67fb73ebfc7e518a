package dev.interlock.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * One of several instances of an application whose job is to run once each second. Appends a line
 * for each run to a file: the time in milliseconds, the fencing token, and who it was.
 */
final class JobApplication {

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {}

  static class Job {
    private final Path directory;

    Job(@Value("${test.directory}") Path directory) {
      this.directory = directory;
    }

    @Locked(
        name = "report",
        autoRelease = false,
        atLeast = "${test.at-least:500ms}",
        onBusy = OnBusy.SKIP)
    public void report() throws IOException {
      append("runs", CurrentLease.get().fencingToken());
    }

    void append(String file, long token) throws IOException {
      String line = "%d %d %d%n"
          .formatted(System.currentTimeMillis(), token, ProcessHandle.current().pid());
      Files.writeString(
          directory.resolve(file), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  /** Also tells when it was called: on a busy machine that may be late. */
  static class Trigger {
    private final Job job;
    private final Path directory;

    Trigger(Job job, @Value("${test.directory}") Path directory) {
      this.job = job;
      this.directory = directory;
    }

    @Scheduled(cron = "* * * * * *")
    public void fire() throws IOException {
      new Job(directory).append("triggers", 0);
      job.report();
    }
  }

  private JobApplication() {}

  /** Arguments are properties, as {@code --name=value}. Ends with its standard input. */
  public static void main(String[] arguments) throws IOException {
    var context = new SpringApplicationBuilder(Contexts.Plain.class)
        .sources(List.of(Scheduling.class, Job.class, Trigger.class).toArray(Class<?>[]::new))
        .web(WebApplicationType.NONE)
        .run(arguments);
    System.out.println("started");
    while (System.in.read() >= 0) {
      // Until whoever started it closes the pipe, or dies.
    }
    context.close();
  }
}
