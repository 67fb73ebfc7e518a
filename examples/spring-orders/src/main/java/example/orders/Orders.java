package example.orders;

import dev.interlock.spring.CurrentLease;
import dev.interlock.spring.Locked;
import dev.interlock.spring.OnLost;
import org.springframework.stereotype.Service;

/** Changes orders: one change of an order at a time, on all instances. */
@Service
class Orders {
  private final OrderStore store;
  private final Prices prices;

  Orders(OrderStore store, Prices prices) {
    this.store = store;
    this.prices = prices;
  }

  /**
   * Adds items to an order.
   *
   * <p>Between reading and writing the lease may run out unseen: a pause of the JVM, a slow answer.
   * Therefore the write carries the fencing token. It is not interrupted: H2 closes the file of its
   * database when a thread is interrupted while it reads or writes it.
   */
  @Locked(
      name = "order-#{#id}",
      waitFor = "10s",
      lease = "${orders.lease}",
      onLost = OnLost.SIGNAL)
  public Order add(long id, int items) {
    long token = CurrentLease.get().fencingToken();
    Order order = store.find(id);
    int all = order.items() + items;
    Order changed = new Order(id, all, prices.cents(all));
    store.save(changed, token);
    return changed;
  }
}
