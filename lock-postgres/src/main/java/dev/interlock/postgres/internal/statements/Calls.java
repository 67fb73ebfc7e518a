package dev.interlock.postgres.internal.statements;

import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Line;
import dev.interlock.postgres.internal.statements.LockMapper.Place;
import dev.interlock.postgres.internal.statements.LockMapper.Step;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.AttemptParameters;
import dev.interlock.sql.support.Hint;
import dev.interlock.sql.support.Recent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a client has steps done that concern one lock: by as few statements as it can. Thread-safe.
 */
public final class Calls {
  // Where the usual case would be tried in vain, which costs a round trip: with a lock that has no
  // row, such as one whose name is used only once, or that is held; and at a release that serves
  // somebody, or of a hold that is an entry.
  private final Set<String> present = Recent.set();
  private final Hint held = new Hint();
  private final Hint awaited = new Hint();

  /** Notes that a lock was granted to a waiter, which has an entry until it is released. */
  public void granted(String name) {
    awaited.note(name, true);
  }

  /**
   * Does the steps in this order, and answers each of them, or only the first: then nothing was
   * done of the others.
   */
  public List<Answer> run(LockMapper mapper, String name, Place at, List<Step> steps) {
    Step first = steps.get(0);
    if (steps.size() > 1) {
      Line line = line(steps);
      List<Answer> answers = line == null ? List.of() : inLine(mapper, name, at, steps, line);
      return answers.isEmpty() ? mapper.operate(at, steps) : answers;
    }
    AttemptParameters asks = first.asks();
    if (asks == null) {
      return List.of(release(mapper, name, at, first.leaving()));
    }
    if (!first.leaving().isEmpty()) {
      return mapper.operate(at, steps);
    }
    if (!asks.isCounted()) {
      return List.of(acquire(mapper, name, at, asks));
    }
    awaited.note(name, true);
    return List.of(mapper.enter(at, asks));
  }

  private Answer acquire(LockMapper mapper, String name, Place at, AttemptParameters asks) {
    boolean simple = present.contains(name) && !held.isLikely(name);
    Long token = simple ? mapper.take(at, asks) : null;
    if (token != null) {
      return Answer.of(0, Answer.HOLDS, token, asks.tokens(), asks.leaseUs());
    }
    Answer answer = mapper.acquire(at, asks);
    present.add(name);
    held.note(name, simple || answer.state != Answer.HOLDS);
    return answer;
  }

  private Answer release(LockMapper mapper, String name, Place at, List<HoldId> leaving) {
    boolean simple = leaving.size() == 1 && !awaited.isLikely(name);
    if (simple && mapper.giveBack(at, leaving.get(0))) {
      Answer answer = new Answer();
      answer.held = true;
      return answer;
    }
    Answer answer = mapper.release(at, lows(leaving));
    awaited.note(name, serves(answer) || (simple && answer.held));
    return answer;
  }

  private static boolean serves(Answer release) {
    return release.grantClient != null || release.also != null;
  }

  private static Long[] lows(List<HoldId> ids) {
    return ids.stream().map(HoldId::low).toArray(Long[]::new);
  }

  /** The attempts that follow, or that the steps are; null if these are not only such. */
  private static @Nullable Line line(List<Step> steps) {
    boolean releases = steps.get(0).asks() == null;
    List<AttemptParameters> line = new ArrayList<>();
    for (Step step : releases ? steps.subList(1, steps.size()) : steps) {
      AttemptParameters asks = step.asks();
      if (asks == null || !step.leaving().isEmpty() || !asks.onlyQueues()) {
        return null;
      }
      line.add(asks);
    }
    boolean differ = line.stream().map(AttemptParameters::id).distinct().count() == line.size();
    return differ ? new Line(line) : null;
  }

  /** Nothing was done if it answers nothing. */
  private List<Answer> inLine(
      LockMapper mapper, String name, Place at, List<Step> steps, Line line) {
    List<Answer> answers = new ArrayList<>();
    Answer all;
    if (steps.get(0).asks() == null) {
      Long[] leaving = lows(steps.get(0).leaving());
      all = mapper.releaseAppending(at, leaving, line);
      awaited.note(name, serves(all));
      answers.add(all);
    } else {
      all = mapper.append(at, line);
    }
    if (all.state == 0) {
      return answers;
    }
    boolean taken = all.state == Answer.HOLDS;
    long last = taken ? all.token + all.tokens - 1 : all.token;
    for (int i = answers.size(); i < steps.size(); i++) {
      boolean holds = taken && i == steps.size() - line.ids.length;
      answers.add(
          holds
              ? Answer.of(i, Answer.HOLDS, all.token, all.tokens, all.remainingUs)
              : Answer.of(i, Answer.WAITS, last, 1, all.remainingUs));
    }
    return answers;
  }
}
