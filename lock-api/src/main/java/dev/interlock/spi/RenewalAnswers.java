package dev.interlock.spi;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes the answers to a batch of {@link Renewal}s, each as soon as it is known, so that a server
 * which is silent holds up no answer of another. Thread-safe; quick, and never blocks.
 */
@FunctionalInterface
public interface RenewalAnswers {

  /**
   * Answers one renewal. Only the first answer to each counts.
   *
   * @param renewal one of the batch
   * @param result what the server says, or {@link RenewalResult.Failed}
   */
  void answer(Renewal renewal, RenewalResult result);

  /**
   * Renews a batch and waits for all of it. For tests of a backend.
   *
   * @param backend renews
   * @param batch what to renew
   * @return one answer for each, in the same order
   * @throws LockException if every renewal failed: as the first one did
   */
  static List<RenewalResult> collect(LockBackend backend, List<Renewal> batch) {
    Map<HoldId, RenewalResult> answers = new ConcurrentHashMap<>();
    LockException failure = new OutcomeUnknownException("the backend did not answer this renewal");
    try {
      backend.renew(batch, (renewal, result) -> answers.putIfAbsent(renewal.id(), result));
    } catch (LockException e) {
      failure = e;
    }
    RenewalResult missing = RenewalResult.failed(failure);
    List<RenewalResult> results = batch.stream()
        .map(renewal -> answers.getOrDefault(renewal.id(), missing))
        .toList();
    if (results.get(0) instanceof RenewalResult.Failed first
        && results.stream().allMatch(RenewalResult.Failed.class::isInstance)) {
      throw first.error();
    }
    return results;
  }
}
