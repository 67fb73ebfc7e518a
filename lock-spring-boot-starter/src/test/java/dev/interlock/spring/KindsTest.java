package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Readers, writers and permits of one name, and locks of one name at several clients. */
@Timeout(60)
class KindsTest {
  private final String uri = "local://?namespace=" + Contexts.namespace();
  private final LockClient client = Locks.open(uri);
  private final LockTemplate template = new LockTemplate(client);
  private final LockRequest writer = LockRequest.of("x");
  private final LockRequest reader = writer.shared();
  private final TransactionTemplate transaction = new TransactionTemplate(new Transactions());
  private final TransactionTemplate other =
      new TransactionTemplate(transaction.getTransactionManager());

  KindsTest() {
    other.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  @AfterEach
  void close() {
    client.close();
  }

  private int holders() {
    return client.inspect("x").map(info -> 1 + info.others().size()).orElse(0);
  }

  private boolean isBusy(LockRequest request) {
    try {
      return !template.execute(request, lease -> true);
    } catch (LockTimeoutException e) {
      return true;
    }
  }

  @Test
  void a_thread_that_reads_may_read_once_more() {
    template.execute(reader, outer -> {
      assertThat(template.<Integer, RuntimeException>execute(reader, inner -> holders()))
          .isEqualTo(2);
      assertThat(isBusy(writer)).isTrue();
      return null;
    });
    assertThat(isBusy(writer)).isFalse();
  }

  @Test
  void it_does_not_wait_for_a_writer_who_waits_for_it() throws Exception {
    CompletableFuture<Lease> waiting = template.execute(reader, outer -> {
      CompletableFuture<Lease> writing = client.acquireAsync(writer);
      await().until(() -> client.inspect("x").map(HoldInfo::waiters).orElse(0) > 0);
      assertThatThrownBy(() -> template.execute(reader, inner -> null))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("of this thread");
      return writing;
    });
    waiting.get(20, TimeUnit.SECONDS).release();
  }

  @Test
  void permits_add_up_as_long_as_there_are_some() {
    LockRequest permit = writer.permits(1, 2);
    template.execute(permit, first -> {
      template.execute(permit, second -> {
        assertThat(isBusy(permit)).isTrue();
        return null;
      });
      assertThat(isBusy(permit)).isFalse();
      assertThat(isBusy(reader)).isTrue();
      return null;
    });
  }

  @Test
  void transactions_that_read_do_not_exclude_one_another() {
    transaction.executeWithoutResult(outer -> {
      template.execute(reader, lease -> null);
      other.executeWithoutResult(inner -> {
        template.execute(reader, lease -> null);
        assertThat(holders()).isEqualTo(2);
        assertThat(isBusy(writer)).isTrue();
      });
      assertThat(holders()).isOne();
    });
    assertThat(holders()).isZero();
  }

  @Test
  void a_transaction_keeps_the_permits_of_each_of_its_calls() {
    LockRequest permit = writer.permits(1, 3);
    transaction.executeWithoutResult(status -> {
      template.execute(permit, lease -> null);
      template.execute(permit, lease -> null);
      assertThat(holders()).isEqualTo(2);
    });
    assertThat(holders()).isZero();
  }

  @Test
  void a_transaction_that_writes_may_read_and_keeps_the_writers_lock() {
    transaction.executeWithoutResult(status -> {
      template.execute(writer, lease -> null);
      template.execute(reader, lease -> null);
      assertThat(client.tryAcquire(reader)).isEmpty();
      other.executeWithoutResult(inner -> assertThat(isBusy(reader)).isTrue());
    });
    assertThat(holders()).isZero();
  }

  @Test
  void locks_of_one_name_at_two_clients_are_two_locks() {
    try (LockClient second = Locks.open("local://?namespace=" + Contexts.namespace())) {
      LockTemplate elsewhere = new LockTemplate(second);
      transaction.executeWithoutResult(status -> {
        long token = template.execute(writer, Lease::fencingToken);
        elsewhere.execute(writer.withWait(Duration.ZERO), lease -> {
          template.execute(writer, own -> {
            assertThat(CurrentLease.of("x")).isSameAs(own);
            assertThat(CurrentLease.of(client, "x").fencingToken()).isEqualTo(token);
            assertThat(CurrentLease.of(second, "x")).isSameAs(lease);
            return null;
          });
          return null;
        });
        assertThat(second.inspect("x")).isPresent();
        assertThat(client.inspect("x")).isPresent();
      });
      assertThat(second.inspect("x")).isEmpty();
      assertThatThrownBy(() -> CurrentLease.of(client, "x"))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
