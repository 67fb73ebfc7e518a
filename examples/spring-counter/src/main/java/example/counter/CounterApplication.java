package example.counter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Adds to the number in a file, as other instances do at the same time. */
@SpringBootApplication
public class CounterApplication {

  /**
   * @param args a directory, how many instances there are, and how many each of them adds
   */
  public static void main(String[] args) {
    SpringApplication.run(CounterApplication.class, args);
  }

  @Bean
  ApplicationRunner counting(Counter counter) {
    return arguments -> {
      Path directory = Path.of(arguments.getNonOptionArgs().get(0));
      int instances = Integer.parseInt(arguments.getNonOptionArgs().get(1));
      int steps = Integer.parseInt(arguments.getNonOptionArgs().get(2));
      awaitAll(directory, instances);
      for (int step = 0; step < steps; step++) {
        counter.addOne(directory.resolve("count"));
      }
    };
  }

  /** Each leaves a file that says that it is there. */
  private static void awaitAll(Path directory, int instances)
      throws IOException, InterruptedException {
    Files.createTempFile(directory, "instance", "");
    while (true) {
      try (Stream<Path> files = Files.list(directory)) {
        if (files.filter(file -> file.getFileName().toString().startsWith("instance")).count()
            >= instances) {
          return;
        }
      }
      Thread.sleep(10);
    }
  }
}
