package dev.interlock.compare.report;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A saved {@code report.json} as it is, whichever build made it. */
final class SavedJson {
  private SavedJson() {}

  /**
   * Reads a file.
   *
   * @return its root, which has a list of providers with one in it at least
   * @throws IOException if it cannot be read, or is something else; its message says which, as the
   *     rest of a sentence
   */
  static JsonNode read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException("it is a directory, and the report.json in it is to be named");
    }
    if (!Files.exists(file)) {
      throw new IOException("there is no such file");
    }
    JsonNode root;
    try {
      root = JsonMapper.shared().readTree(Files.readString(file));
    } catch (AccessDeniedException e) {
      throw new IOException("it may not be read", e);
    } catch (JacksonException | CharacterCodingException e) {
      throw new IOException("it is not JSON", e);
    }
    if (root.isMissingNode()) {
      throw new IOException("it is not JSON, but empty");
    }
    JsonNode providers = root.path("providers");
    if (!providers.isArray() || providers.isEmpty()) {
      throw new IOException("it has no list of providers, so it is no report.json");
    }
    return root;
  }
}
