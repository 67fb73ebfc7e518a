package dev.interlock.postgres;

import dev.interlock.postgres.LockMapper.Answer;
import dev.interlock.postgres.LockMapper.Asking;
import dev.interlock.postgres.LockMapper.Step;
import dev.interlock.spi.HoldId;
import java.util.List;

/** How a client has steps done that concern one lock: by one statement. */
final class Calls {
  private final long client;
  private final byte[] host;

  Calls(long client, byte[] host) {
    this.client = client;
    this.host = host;
  }

  /** Does the steps in this order, and answers each. */
  List<Answer> run(LockMapper mapper, byte[] key, List<Step> steps) {
    Step first = steps.get(0);
    Asking asks = first.asks();
    if (steps.size() > 1 || (asks != null && !first.leaving().isEmpty())) {
      return mapper.operate(key, client, host, steps);
    }
    if (asks == null) {
      Long[] leaving = first.leaving().stream().map(HoldId::low).toArray(Long[]::new);
      return List.of(mapper.release(key, client, leaving));
    }
    return List.of(
        asks.isCounted()
            ? mapper.enter(key, client, host, asks)
            : mapper.acquire(key, client, host, asks));
  }
}
