package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Renews holds on the server, in batches. */
final class StoreRenewals {
  private static final int HUNDRED = 100;

  private final StoreConnections connections;
  private final Fault fault;
  private final Requests requests;
  private final SentLeases leases;

  StoreRenewals(StoreConnections connections, Fault fault, Requests requests, SentLeases leases) {
    this.connections = connections;
    this.fault = fault;
    this.requests = requests;
    this.leases = leases;
  }

  void renew(List<Renewal> batch, RenewalAnswers answers) {
    boolean alike = fault == Fault.BATCH_HAS_ONE_LEASE;
    List<Wire.Request> sent = batch.stream()
        .map(renewal -> requests.of(renewal, leases.of(alike ? batch.get(0) : renewal)))
        .toList();
    boolean apart = fault == Fault.RENEWS_ONE_BY_ONE
        || (fault == Fault.OWNERS_ARE_RENEWED_ONE_BY_ONE
            && batch.stream().anyMatch(renewal -> requests.isOwned(renewal.id())))
        || (fault == Fault.PARTS_ARE_RENEWED_ONE_BY_ONE
            && batch.stream().anyMatch(renewal -> requests.isForPart(renewal.id())));
    int together = apart ? 1 : sent.size();
    for (int i = 0; i < sent.size(); i += together) {
      List<Wire.Request> part = List.copyOf(sent.subList(i, i + together));
      List<RenewalResult> found = renewed(batch.subList(i, i + together), part);
      for (int j = 0; j < found.size(); j++) {
        answers.answer(batch.get(i + j), found.get(j));
      }
    }
  }

  private List<RenewalResult> renewed(List<Renewal> batch, List<Wire.Request> requests) {
    List<RenewalResult> none = Collections.nCopies(requests.size(), RenewalResult.gone());
    List<RenewalResult> results;
    try {
      results = connections.wasLost() ? none : answers(batch, requests);
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      boolean refused = String.valueOf(e.getMessage()).startsWith(StoreConnections.REFUSED);
      boolean gone =
          fault == Fault.UNSENT_MEANS_GONE || (fault == Fault.REFUSED_MEANS_GONE && refused);
      if (gone && !connections.isClosed()) {
        return none;
      }
      if (fault == Fault.SHARED_UNSENT_MEANS_GONE && !connections.isClosed()) {
        return batch.stream()
            .map(renewal -> this.requests.isForPart(renewal.id())
                ? RenewalResult.gone()
                : RenewalResult.failed(e))
            .toList();
      }
      throw e;
    }
    boolean oneIsGone = results.stream().anyMatch(RenewalResult.Gone.class::isInstance);
    return fault == Fault.BATCH_SHARES_ANSWER && oneIsGone ? none : results;
  }

  private List<RenewalResult> answers(List<Renewal> batch, List<Wire.Request> requests) {
    List<Wire.Answer> found = new ArrayList<>(asked(batch, requests));
    boolean oneIsHeld = found.stream().anyMatch(answer -> answer.token() >= 0);
    Wire.Answer held = new Wire.Answer(1, 1, 0);
    while (found.size() < requests.size()) {
      found.add(found.get(0));
    }
    if (fault == Fault.RENEWS_ANYTHING || (fault == Fault.ONE_HELD_ALL_HELD && oneIsHeld)) {
      found.replaceAll(answer -> answer.token() < 0 ? held : answer);
    }
    if (fault == Fault.SWAPS_ENDS_OF_BATCH) {
      Collections.swap(found, 0, found.size() - 1);
    }
    boolean first = batch.get(0).queued();
    return IntStream.range(0, found.size())
        .mapToObj(i -> fault == Fault.FIRST_OF_BATCH_DECIDES && batch.get(i).queued() != first
            ? RenewalResult.gone()
            : renewed(batch.get(i), found.get(i)))
        .toList();
  }

  private List<Wire.Answer> asked(List<Renewal> batch, List<Wire.Request> requests) {
    for (Wire.Request request : requests) {
      if (fault == Fault.RENEWAL_REMOVES_EXPIRED
          && (Boolean) connections.call(store -> store.attempts().isExpired(request))) {
        String name = request.name();
        connections.call(store -> store.attempts().remove(name));
      }
      if (fault == Fault.PLACE_RENEWAL_REWRITES_QUEUE) {
        String[] before = (String[]) connections.call(store -> store.attempts().queue(request));
        connections.call(store -> store.attempts().writeQueue(request, before));
      }
    }
    if (fault == Fault.PARTS_LOOK_THEN_RENEW
        && batch.stream().allMatch(renewal -> this.requests.isForPart(renewal.id()))) {
      return requests.stream().map(this::lookThenProlongAny).toList();
    }
    if (fault == Fault.LOOKS_THEN_RENEWS) {
      return requests.stream().map(this::lookThenProlong).toList();
    }
    List<Wire.Request> sent = switch (fault) {
      case HUNDRED_OF_BATCH -> List.copyOf(requests.subList(0, Math.min(HUNDRED, requests.size())));
      case BATCH_SPLITS_NAMES -> requests.size() == 1 ? requests : split(requests);
      default -> requests;
    };
    boolean repeats = fault != Fault.RENEWALS_GIVE_UP
        && (fault != Fault.SHARED_RENEWALS_GIVE_UP
            || batch.stream().noneMatch(renewal -> this.requests.isForPart(renewal.id())));
    if (fault == Fault.RENEWAL_REWRITES_HOLDERS) {
      String[][] before = (String[][]) connections.call(store -> store.holds().holdersOfAll(sent));
      return List.of(
          (Wire.Answer[]) connections.call(store -> store.holds().renewAmong(sent, before)));
    }
    return List.of(
        (Wire.Answer[]) connections.call(store -> store.holds().renewAll(sent), repeats));
  }

  /** Only what stands before a comma in a name is found again. */
  private static List<Wire.Request> split(List<Wire.Request> requests) {
    return requests.stream()
        .map(request -> request.named(request.name().replaceFirst(",.*", "")))
        .toList();
  }

  private Wire.Answer lookThenProlong(Wire.Request request) {
    return (Boolean) connections.call(store -> store.holds().isThere(request))
        ? (Wire.Answer) connections.call(store -> store.holds().prolongByName(request))
        : new Wire.Answer(Wire.BUSY, 0, 0);
  }

  private Wire.Answer lookThenProlongAny(Wire.Request request) {
    return (Boolean) connections.call(store -> store.holds().isThere(request))
        ? (Wire.Answer) connections.call(store -> store.holds().prolongOwnOrAny(request))
        : (Wire.Answer) connections.call(store -> store.holds().renew(request));
  }

  private static RenewalResult renewed(Renewal renewal, Wire.Answer answer) {
    if (answer.token() == Wire.QUEUED || answer.token() == Wire.QUEUED_BEHIND_OWNER) {
      return RenewalResult.queued(Duration.ofNanos(answer.recheck()))
          .withOwnerHolds(answer.token() == Wire.QUEUED_BEHIND_OWNER);
    }
    if (answer.token() == Wire.FAILED) {
      return RenewalResult.failed(new BackendUnavailableException("the lock is spoilt"));
    }
    return answer.token() < 0
        ? RenewalResult.gone()
        : RenewalResult.held(renewal, answer.token()).withTokens(answer.tokens());
  }
}
