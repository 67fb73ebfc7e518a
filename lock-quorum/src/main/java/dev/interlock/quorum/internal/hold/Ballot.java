package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the members say to one renewal. Each member's first vote counts. */
abstract class Ballot {
  final Renewal renewal;
  final Map<Member, RenewalResult> votes = new LinkedHashMap<>();
  private final RenewalAnswers answers;
  private @Nullable RenewalResult decision;

  Ballot(Renewal renewal, RenewalAnswers answers) {
    this.renewal = renewal;
    this.answers = answers;
  }

  abstract List<Member> members();

  /** Answers null while it is open. */
  abstract @Nullable RenewalResult decide(boolean last);

  /** Called after each vote. */
  void told() {}

  /** What was answered; null while it is open. */
  final synchronized @Nullable RenewalResult result() {
    return decision;
  }

  final void vote(Member member, RenewalResult result) {
    synchronized (this) {
      if (votes.putIfAbsent(member, result) != null) {
        return;
      }
    }
    tell(false);
  }

  /** Nobody waits for further votes. */
  final void end() {
    tell(true);
  }

  private void tell(boolean last) {
    RenewalResult result;
    synchronized (this) {
      result =
          decision != null ? null : decide(last || votes.size() == members().size());
      decision = result == null ? decision : result;
    }
    if (result != null) {
      answers.answer(renewal, result);
    }
    told();
  }
}
