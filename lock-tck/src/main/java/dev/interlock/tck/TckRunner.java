package dev.interlock.tck;

import dev.interlock.tck.internal.run.Archive;
import dev.interlock.tck.internal.run.TckRun;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rules against a backend and returns the verdicts. Immutable: each method but
 * {@link #run()} returns a changed copy.
 */
public final class TckRunner {
  private static final TckProgress SILENT = new TckProgress() {};

  private final TckBackend backend;
  private final Effort effort;
  private final long seed;
  private final @Nullable Set<String> only;
  private final Archive archive;
  private final TckProgress progress;

  private TckRunner(
      TckBackend backend,
      Effort effort,
      long seed,
      @Nullable Set<String> only,
      Archive archive,
      TckProgress progress) {
    this.backend = backend;
    this.effort = effort;
    this.seed = seed;
    this.only = only;
    this.archive = archive;
    this.progress = progress;
  }

  /**
   * Starts from a backend.
   *
   * @param backend what to check
   * @return a runner of all rules with standard effort and a random seed
   */
  public static TckRunner of(TckBackend backend) {
    long seed = new SplittableRandom().nextLong() >>> 1;
    return new TckRunner(backend, Effort.STANDARD, seed, null, Archive.NONE, SILENT);
  }

  /**
   * Sets how much work is spent.
   *
   * @param effort the effort
   * @return the changed copy
   */
  public TckRunner effort(Effort effort) {
    return new TckRunner(backend, effort, seed, only, archive, progress);
  }

  /**
   * Repeats the random choices of an earlier run.
   *
   * @param seed as in {@link TckResult#seed()}
   * @return the changed copy
   */
  public TckRunner seed(long seed) {
    return new TckRunner(backend, effort, seed, only, archive, progress);
  }

  /**
   * Restricts the run to some rules.
   *
   * @param ruleIds their ids
   * @return the changed copy
   * @throws IllegalArgumentException if there is no rule of such an id
   */
  public TckRunner only(Set<String> ruleIds) {
    for (String id : ruleIds) {
      if (Rules.find(id).isEmpty()) {
        throw new IllegalArgumentException("there is no rule " + id);
      }
    }
    Set<String> chosen = Set.copyOf(new TreeSet<>(ruleIds));
    return new TckRunner(backend, effort, seed, chosen, archive, progress);
  }

  /**
   * Saves what several JVMs did, for rules that judge it and do not pass: see
   * {@link Evidence#saved()}. Nothing is saved unless this or {@link #saveAllHistories} is called.
   *
   * @param directory where; it is made when there is something to save
   * @return the changed copy
   */
  public TckRunner saveHistories(Path directory) {
    return new TckRunner(backend, effort, seed, only, new Archive(directory, false), progress);
  }

  /**
   * Saves what several JVMs did also for rules that pass.
   *
   * @param directory where; it is made when there is something to save
   * @return the changed copy
   */
  public TckRunner saveAllHistories(Path directory) {
    return new TckRunner(backend, effort, seed, only, new Archive(directory, true), progress);
  }

  /**
   * Adds a listener in place of the earlier one.
   *
   * @param listener hears of the run while it goes on
   * @return the changed copy
   */
  public TckRunner onProgress(TckProgress listener) {
    return new TckRunner(backend, effort, seed, only, archive, listener);
  }

  /**
   * Runs the rules. Blocks until all have their verdict; a call of the provider that hangs is cut
   * off and fails its rule. Forks JVMs, and ends them all before it returns.
   *
   * @return the verdicts on all rules that the kit can check
   * @throws dev.interlock.LockException if the provider cannot be found or opened
   */
  public TckResult run() {
    return TckRun.run(backend, effort, seed, only, archive, progress);
  }
}
