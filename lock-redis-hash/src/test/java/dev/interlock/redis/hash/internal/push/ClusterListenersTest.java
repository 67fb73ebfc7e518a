package dev.interlock.redis.hash.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which masters are listened to, as the cluster changes. */
@Timeout(60)
class ClusterListenersTest {
  private static final int LOOKING = 8;
  private static final int ROUNDS = 300;
  private static final ClientResources RESOURCES = DefaultClientResources.create();

  /** Knows the masters that it is told of. */
  private static final class Cluster extends RedisClusterClient {
    private volatile Partitions partitions = new Partitions();

    @Override
    public Partitions getPartitions() {
      return partitions;
    }

    @Override
    public ClientResources getResources() {
      return RESOURCES;
    }

    /** One that serves all slots. */
    void masterIs(String id) {
      RedisClusterNode node = new RedisClusterNode();
      node.setUri(RedisURI.create("127.0.0.1", 7000));
      node.setNodeId(id);
      node.setSlots(IntStream.range(0, SlotHash.SLOT_COUNT).boxed().toList());
      node.setFlags(Set.of(RedisClusterNode.NodeFlag.UPSTREAM));
      Partitions changed = new Partitions();
      changed.addPartition(node);
      changed.updateCache();
      partitions = changed;
    }

    void publishChange() {
      RESOURCES.eventBus().publish(new ClusterTopologyChangedEvent(List.of(), List.of()));
    }
  }

  @SuppressWarnings("unchecked")
  private static StatefulRedisPubSubConnection<byte[], byte[]> connection(String name) {
    return (StatefulRedisPubSubConnection<byte[], byte[]>) Proxy.newProxyInstance(
        ClusterListenersTest.class.getClassLoader(),
        new Class<?>[] {StatefulRedisPubSubConnection.class},
        (proxy, method, arguments) -> switch (method.getName()) {
          case "toString" -> name;
          case "hashCode" -> System.identityHashCode(proxy);
          case "equals" -> proxy == arguments[0];
          default -> throw new UnsupportedOperationException(method.getName());
        });
  }

  private final Cluster cluster = new Cluster();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> left = new CopyOnWriteArrayList<>();
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<StatefulRedisPubSubConnection<byte[], byte[]>> next;
  private volatile boolean unknown;

  private final ClusterListeners.Nodes nodes = new ClusterListeners.Nodes() {
    @Override
    public CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> listenTo(
        RedisClusterNode node) {
      asked.add(node.getNodeId());
      if (unknown) {
        throw new RedisException("there is no such node");
      }
      return next != null ? next : CompletableFuture.completedFuture(connection(node.getNodeId()));
    }

    @Override
    public void leave(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
      left.add(connection.toString());
    }
  };

  private final ClusterListeners listeners = new ClusterListeners(cluster, nodes);

  private final Listeners.Mailbox mailbox = new Listeners.Mailbox() {
    @Override
    public void opened(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
      heard.add("+" + connection);
    }

    @Override
    public void closed(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
      heard.add("-" + connection);
    }
  };

  @AfterEach
  void close() {
    listeners.close();
  }

  @AfterAll
  static void stop() {
    var unused = RESOURCES.shutdown(0, 1, TimeUnit.SECONDS);
  }

  @Test
  void a_master_with_a_new_id_at_its_old_address_is_listened_to_anew() {
    cluster.masterIs("old");
    listeners.attach(mailbox);
    cluster.masterIs("new");
    listeners.check();
    assertThat(heard).containsExactlyInAnyOrder("+old", "-old", "+new");
    assertThat(left).containsExactly("old");
  }

  @Test
  void a_node_that_the_connection_does_not_know_yet_is_asked_again() {
    cluster.masterIs("one");
    unknown = true;
    listeners.attach(mailbox);
    assertThat(heard).isEmpty();
    unknown = false;
    listeners.check();
    assertThat(heard).containsExactly("+one");
  }

  @Test
  void after_its_close_no_event_of_the_application_opens_anything() throws Exception {
    CompletableFuture<Void> told = new CompletableFuture<>();
    List<String> before = new ArrayList<>();
    cluster.masterIs("one");
    listeners.attach(mailbox);
    cluster.masterIs("two");
    cluster.publishChange();
    while (!heard.contains("+two")) {
      Thread.sleep(10); // the bus has a thread of its own
    }
    before.addAll(asked);

    listeners.close();
    cluster.masterIs("three");
    // Hears of each event after the listeners, if they still hear of any.
    var last = RESOURCES.eventBus().get().subscribe(event -> told.complete(null));
    cluster.publishChange();
    told.get(20, TimeUnit.SECONDS);
    last.dispose();
    listeners.check();
    assertThat(asked).isEqualTo(before);
  }

  @Test
  void what_opens_after_the_close_is_left() {
    cluster.masterIs("one");
    next = new CompletableFuture<>();
    listeners.attach(mailbox);
    listeners.close();
    next.complete(connection("late"));
    assertThat(left).containsExactly("late");
  }

  /** Many threads, so that some of them stop between one look and the next. */
  @Test
  void a_master_is_connected_to_once_however_many_look_while_that_ends() throws Exception {
    cluster.masterIs("one");
    ExecutorService threads = Executors.newFixedThreadPool(LOOKING);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        asked.clear();
        next = new CompletableFuture<>();
        ClusterListeners looked = new ClusterListeners(cluster, nodes);
        looked.attach(mailbox);
        AtomicBoolean ended = new AtomicBoolean();
        List<Future<?>> looking = Stream.generate(() -> threads.submit(() -> {
              while (!ended.get()) {
                looked.check();
              }
            }))
            .limit(LOOKING)
            .collect(Collectors.toList());
        TimeUnit.MILLISECONDS.sleep(2);
        next.complete(connection("one"));
        ended.set(true);
        for (Future<?> each : looking) {
          each.get(20, TimeUnit.SECONDS);
        }
        looked.close();
        assertThat(asked).as("in round %s", round).containsExactly("one");
      }
    } finally {
      threads.shutdown();
    }
  }
}
