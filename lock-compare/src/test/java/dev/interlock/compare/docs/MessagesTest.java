package dev.interlock.compare.docs;

import static dev.interlock.compare.docs.Project.ROOT;
import static dev.interlock.compare.docs.Project.published;
import static dev.interlock.compare.docs.Project.read;
import static dev.interlock.compare.docs.Project.stripped;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What can be checked about the pages of messages: of the log, and of exceptions. */
class MessagesTest {
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");

  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** A statement that logs what an operator should see. */
  private static final Pattern LOGGED =
      Pattern.compile("(?s)(?:Level\\.(?:WARNING|ERROR),|threads\\.report\\().*?;\n");

  /** An exception of ours that is made; the messages of others are those of the JDK's habits. */
  private static final Pattern THROWN =
      Pattern.compile("(?s)new (?:Lock\\w*|Backend\\w+|OutcomeUnknown"
          + "|LeaseLost|StaleToken|UnsupportedCapability)Exception\\(.*?;\n");

  private static final Pattern FORMATTED = Pattern.compile("%(\\d\\$)?[sd]");

  private static final Pattern WORDS = Pattern.compile("[A-Za-z]+ [A-Za-z]+");

  /** Of renewals, which the engine repeats: nobody is told. */
  private static final Set<String> UNSEEN = Set.of(
      "the batch of renewals was not sent",
      "the answer could not be taken",
      "it could not be repeated at once",
      "the backend did not answer this renewal");

  /** What stands in a message for something else, and the quotes around it. */
  private static final Pattern VARIABLE = Pattern.compile("\\{\\d}|'");

  @Test
  void every_warning_and_error_that_is_logged_is_on_its_page() {
    String page = stripped(read(ROOT.resolve("docs/log-messages.md")));
    List<String> missing = new ArrayList<>();
    int seen = 0;
    for (Path file : published().toList()) {
      for (Matcher call = LOGGED.matcher(read(file)); call.find(); seen++) {
        String text = longestLiteral(call.group());
        boolean there = VARIABLE
            .splitAsStream(text.replace("''", "'"))
            .map(part -> part.replaceAll(":? *$", "").strip())
            .allMatch(page::contains);
        if (!there) {
          missing.add(ROOT.relativize(file) + ": " + text);
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(seen).isGreaterThan(15);
  }

  /** So that a message that was reworded is found under its new words. */
  @Test
  void every_message_on_the_page_of_errors_is_one_that_is_thrown() {
    String code = published().map(MessagesTest::joined).collect(Collectors.joining("\n"));
    assertThat(symptoms().flatMap(List::stream))
        .hasSizeGreaterThan(60)
        .allSatisfy(part -> assertThat(code.contains(part)).as(part).isTrue());
  }

  /**
   * A part of each that the page names is enough, and one part may stand for many: who words a
   * message anew, or adds one of a kind that is there, need not touch the page. Messages that are
   * put together before are not seen.
   */
  @Test
  void every_exception_of_ours_is_on_the_page_of_errors() {
    List<List<String>> symptoms = symptoms().toList();
    List<String> missing = new ArrayList<>();
    int seen = 0;
    for (Path file : published().toList()) {
      for (Matcher made = THROWN.matcher(joined(file)); made.find(); ) {
        String text = literals(made.group())
            .map(literal -> FORMATTED.matcher(literal).replaceAll("..."))
            .collect(Collectors.joining(" ... "));
        if (WORDS.matcher(text).find() && !UNSEEN.contains(text)) {
          seen++;
          if (symptoms.stream().noneMatch(parts -> parts.stream().allMatch(text::contains))) {
            missing.add(ROOT.relativize(file) + ": " + text);
          }
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(seen).isGreaterThan(80);
  }

  /** The messages in the first column of the tables of symptoms, each in its parts. */
  private static Stream<List<String>> symptoms() {
    return Stream.of(read(ROOT.resolve("docs/errors.md")).split("\n\n"))
        .filter(table -> table.startsWith("| message begins with, or contains |"))
        .flatMap(String::lines)
        .flatMap(row -> QUOTED.matcher(row.split(" \\| ", 2)[0]).results())
        .map(quoted -> Stream.of(quoted.group(1).split("\\.\\.\\."))
            .map(part -> part.replaceAll("^[ ,]+| +$", ""))
            .toList());
  }

  /** A source in which each literal is one. */
  private static String joined(Path file) {
    return CONCATENATION.matcher(read(file)).replaceAll("");
  }

  private static String longestLiteral(String code) {
    return literals(code).max(Comparator.comparing(String::length)).orElse("");
  }

  private static Stream<String> literals(String code) {
    return LITERAL.matcher(code).results().map(literal -> literal.group(1));
  }
}
