package dev.interlock.spring.test;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.assertj.core.api.AssertProvider;

/**
 * The locks of an application under test, seen from outside: as another instance that takes locks
 * before the application, and as an observer who knows which locks it took. A bean where
 * {@link AutoConfigureTestLocks} is. Thread-safe; nothing blocks.
 *
 * <p>{@code assertThat(testLocks)} of AssertJ gives {@link TestLocksAssert}.
 */
public final class TestLocks implements AssertProvider<TestLocksAssert>, AutoCloseable {
  private final List<LocalClient> clients = new CopyOnWriteArrayList<>();

  TestLocks() {}

  LockClient open(String bean, UnaryOperator<LockConfig> configuring) {
    LocalClient client = new LocalClient(bean, configuring);
    clients.add(client);
    return client.application();
  }

  /**
   * Takes a lock as another instance of the application does, so that the application finds it
   * busy. Freed by {@link Lease#release}, or after the test method.
   *
   * @param name the lock's name
   * @return the lease, renewed until then
   * @throws LockTimeoutException if the application holds the lock
   * @throws IllegalStateException if the application has several clients, or none
   */
  public Lease hold(String name) {
    return only().hold(LockRequest.of(name));
  }

  /**
   * The same for one of several clients, or another kind of request.
   *
   * @param client a {@code LockClient} bean of the application
   * @param request what to take; its wait does not count
   * @return the lease
   * @throws LockTimeoutException if the application holds the lock
   * @throws IllegalArgumentException if this is no client of the application under test
   */
  public Lease hold(LockClient client, LockRequest request) {
    return of(client).hold(request);
  }

  /**
   * Takes a lock away from its holder, who finds its lease lost.
   *
   * @param name the lock's name
   * @return whether somebody held it
   * @throws IllegalStateException if the application has several clients, or none
   */
  public boolean lose(String name) {
    return only().other().forceRelease(name);
  }

  /**
   * Tells which locks the application took since the test method began, or the context for the
   * first one: a lock once for each time. Re-entries do not count, nor do locks held already.
   *
   * @return their names, in the order in which they were taken
   * @throws IllegalStateException if the application has several clients, or none
   */
  public List<String> taken() {
    return only().taken();
  }

  /**
   * Tells whether somebody holds a lock: the application, a test, or a once-only job that has
   * ended.
   *
   * @param name the lock's name
   * @return whether it is held
   * @throws IllegalStateException if the application has several clients, or none
   */
  public boolean isHeld(String name) {
    return only().other().inspect(name).isPresent();
  }

  private LocalClient only() {
    if (clients.size() != 1) {
      throw new IllegalStateException(
          "the application under test has %d LockClient beans %s: name one of them"
              .formatted(clients.size(), clients.stream().map(LocalClient::bean).toList()));
    }
    return clients.get(0);
  }

  private LocalClient of(LockClient client) {
    return clients.stream()
        .filter(known -> known.application() == client)
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException("this is no LockClient of the application under test"));
  }

  /** Frees what a test has left, and forgets what was taken. */
  void reset() {
    clients.forEach(LocalClient::reset);
  }

  @Override
  public TestLocksAssert assertThat() {
    return new TestLocksAssert(this);
  }

  /** Called by Spring. */
  @Override
  public void close() {
    clients.forEach(LocalClient::close);
  }
}
