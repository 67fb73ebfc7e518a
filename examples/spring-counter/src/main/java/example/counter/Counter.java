package example.counter;

import dev.interlock.spring.Locked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.stereotype.Component;

/** Reads and then writes, so that two at a time lose what one of them has added. */
@Component
class Counter {

  @Locked("counter")
  public void addOne(Path file) throws IOException {
    int count = Files.exists(file) ? Integer.parseInt(Files.readString(file)) : 0;
    Files.writeString(file, Integer.toString(count + 1));
  }
}
