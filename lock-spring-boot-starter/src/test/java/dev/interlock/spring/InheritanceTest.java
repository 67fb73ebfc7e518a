package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** The starter's threads, on which code of the application runs that belongs to any user. */
@Timeout(60)
class InheritanceTest {
  private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

  private final Thread thread = Thread.currentThread();
  private final ClassLoader before = thread.getContextClassLoader();

  static class Orders {
    private final CompletableFuture<String> placing = new CompletableFuture<>();

    @Locked("orders")
    public CompletableFuture<String> place() {
      return placing;
    }

    public void end() {
      placing.complete("placed");
    }
  }

  @AfterEach
  void leave() {
    USER.remove();
    thread.setContextClassLoader(before);
  }

  @Test
  void what_hangs_on_a_stage_finds_nothing_of_whoever_came_first() throws Exception {
    try (ConfigurableApplicationContext context = Contexts.local(List.of(Orders.class));
        URLClassLoader foreign = new URLClassLoader(new URL[0], null)) {
      Orders orders = context.getBean(Orders.class);
      CompletableFuture<String> placed = orders.place();
      CompletableFuture<String> user = placed.thenApply(unused -> String.valueOf(USER.get()));
      CompletableFuture<ClassLoader> loader =
          placed.thenApply(unused -> Thread.currentThread().getContextClassLoader());

      USER.set("somebody");
      thread.setContextClassLoader(foreign);
      orders.end(); // starts the threads on which the end is told

      assertThat(user.get(10, TimeUnit.SECONDS)).isEqualTo("null");
      assertThat(loader.get(10, TimeUnit.SECONDS)).isSameAs(before);
    }
  }
}
