package dev.interlock.tck.internal.run;

import dev.interlock.ProviderInfo;
import dev.interlock.tck.Verdict;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.HistoryFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the histories of rules are saved.
 *
 * @param directory made when there is something to save; null to save nothing
 * @param all whether also those of rules that hold are saved
 */
public record Archive(@Nullable Path directory, boolean all) {
  public static final Archive NONE = new Archive(null, false);

  /** Saves what was judged for a rule in a file that names provider, rule and seed. */
  Optional<Path> save(
      ProviderInfo provider, String rule, Verdict verdict, long seed, List<History> histories)
      throws IOException {
    boolean holds = verdict == Verdict.PASS || verdict == Verdict.NOT_CLAIMED;
    if (directory == null || histories.isEmpty() || (holds && !all)) {
      return Optional.empty();
    }
    Files.createDirectories(directory);
    Path file = directory.resolve(provider.id() + "-" + rule + "-" + seed + ".tsv");
    String name = provider.id() + " " + provider.version();
    new HistoryFile(rule, name, seed, histories).write(file);
    return Optional.of(file);
  }
}
