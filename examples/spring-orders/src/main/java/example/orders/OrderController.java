package example.orders;

import dev.interlock.LeaseLostException;
import dev.interlock.LockTimeoutException;
import dev.interlock.fencing.jdbc.StaleTokenException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Orders over HTTP. */
@RestController
class OrderController {
  private final Orders orders;
  private final OrderStore store;

  OrderController(Orders orders, OrderStore store) {
    this.orders = orders;
    this.store = store;
  }

  @PostMapping("/orders")
  Order create() {
    return store.find(store.create());
  }

  @GetMapping("/orders/{id}")
  Order find(@PathVariable long id) {
    return store.find(id);
  }

  @PostMapping("/orders/{id}/items")
  Order add(@PathVariable long id, @RequestParam int count) {
    return orders.add(id, count);
  }

  @ExceptionHandler
  ProblemDetail handle(UnknownOrderException unknown) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, unknown.getMessage());
  }

  /** Held by another for longer than the call waits: nothing was done, so it may be repeated. */
  @ExceptionHandler
  ProblemDetail handle(LockTimeoutException busy) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, busy.getMessage());
  }

  /** The lease ran out meanwhile; its cause tells whether the write was refused for that. */
  @ExceptionHandler
  ProblemDetail handle(LeaseLostException lost) {
    Throwable reason = lost.getCause() instanceof StaleTokenException stale ? stale : lost;
    return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, reason.getMessage());
  }
}
