package example.orders;

import dev.interlock.fencing.jdbc.FencedWrites;
import dev.interlock.fencing.jdbc.StaleTokenException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;

/** The orders in the database, which refuses what a holder of a lock writes too late. */
@Repository
class OrderStore {
  private final JdbcClient jdbc;

  OrderStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  long create() {
    var key = new GeneratedKeyHolder();
    jdbc.sql("INSERT INTO orders (items, cents, token) VALUES (0, 0, 0)").update(key, "id");
    return key.getKeyAs(Long.class);
  }

  Order find(long id) {
    return jdbc.sql("SELECT id, items, cents FROM orders WHERE id = ?")
        .param(id)
        .query(Order.class)
        .optional()
        .orElseThrow(() -> new UnknownOrderException("there is no order " + id));
  }

  /**
   * Writes an order, if nobody has done so under a later lock. Under the same one it may be written
   * again.
   *
   * @throws StaleTokenException if the lock of the token has had a successor that has written
   */
  void save(Order order, long token) {
    int rows = jdbc.sql(
            "UPDATE orders SET items = ?, cents = ?, token = ? WHERE id = ? AND token <= ?")
        .params(order.items(), order.cents(), token, order.id(), token)
        .update();
    FencedWrites.requireWritten(rows, "order-" + order.id(), token);
  }
}
