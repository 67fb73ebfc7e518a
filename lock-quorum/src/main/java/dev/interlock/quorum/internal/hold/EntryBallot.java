package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the members say to the refresh of a place in a queue. The contended one decides. */
final class EntryBallot extends Ballot {
  /** After the engine was told to repeat the attempt of an entry. */
  private static final Duration AFTER_WAKE = Duration.ofMillis(100);

  private final Standing standing;
  private final Standings standings;
  private final Member contended;
  private final List<Member> earlier;
  private final List<Member> asked;
  private final BackendEvents events;

  EntryBallot(
      Renewal renewal,
      Standing standing,
      Standings standings,
      Member contended,
      RenewalAnswers answers,
      BackendEvents events) {
    super(renewal, answers);
    this.standing = standing;
    this.standings = standings;
    this.contended = contended;
    this.earlier = standing.places().before(contended).stream()
        .filter(member -> member.isLive() && standing.isKeptBy(member))
        .toList();
    this.asked = contended.isLive()
        ? Stream.concat(Stream.of(contended), earlier.stream()).toList()
        : earlier;
    this.events = events;
  }

  @Override
  List<Member> members() {
    return asked;
  }

  /**
   * A queue that cannot be reached for a while is as good as lost: the attempt goes to another
   * member.
   */
  @Override
  @Nullable
  RenewalResult decide(boolean last) {
    RenewalResult vote = votes.get(contended);
    if (vote != null && !(vote instanceof RenewalResult.Failed)) {
      standings.answered(renewal.name(), contended);
    }
    if (vote instanceof RenewalResult.Queued) {
      return vote;
    }
    if (vote instanceof Grant) {
      standing.places().grantedByRelease();
      events.wake(renewal.name(), renewal.id());
      return RenewalResult.queued(AFTER_WAKE);
    }
    String fault = fault(vote);
    if (fault != null && standings.outlastsFault(standing, contended)) {
      return RenewalResult.failed(QueuePlaces.fault(renewal.name(), fault, false));
    }
    return vote != null || last ? RenewalResult.gone() : null;
  }

  /** Why the contended member could not be asked, or gave no answer; null if it did, or may yet. */
  private @Nullable String fault(@Nullable RenewalResult vote) {
    if (!asked.contains(contended)) {
      return contended.complaint();
    }
    return vote instanceof RenewalResult.Failed failed && !Round.isRefusal(failed.error())
        ? "member %d: %s".formatted(contended.place() + 1, failed.error().getMessage())
        : null;
  }

  /**
   * A member that did not answer when the attempt went on to the next one has kept its place, as it
   * has those of others: all return there, in their old order.
   */
  @Override
  void told() {
    earlier.forEach(member -> {
      RenewalResult vote = vote(member);
      if (vote != null && !(vote instanceof RenewalResult.Failed)) {
        standings.answered(renewal.name(), member);
      }
      if (vote instanceof Grant) {
        standing.places().grantedAt(member); // by a release: a vote, which is not to be renewed
      } else if (vote instanceof RenewalResult.Queued && standing.places().returnsTo(member)) {
        events.wake(renewal.name(), renewal.id());
      }
    });
  }

  private synchronized @Nullable RenewalResult vote(Member member) {
    return votes.get(member);
  }
}
