package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.facts.Happening;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser. Skipped, and said so, where there is none, unless the system property
 * {@code interlock.test.chromium} is "required". The pictures stay in {@code target/page}.
 */
@Tag("thorough")
class PageBrowserTest {
  /** Cells that are cut off: the sheets clip what is wider than they are. */
  private static final String OUTSIDE = "[...document.querySelectorAll('.sheet td, .sheet th')]"
      + ".filter(cell => cell.getBoundingClientRect().right"
      + " > cell.closest('.sheet').getBoundingClientRect().right + 1).length";

  private static final Path PICTURES = Path.of("target", "page");

  @TempDir
  private static Path directory;

  private static Path page;
  private static Path widePage;
  private static Browser browser;

  @BeforeAll
  static void start() throws IOException {
    Optional<Browser> found = Browser.start(directory.resolve("profile"));
    if (found.isEmpty()) {
      String reason = "Chromium or chromedriver is not on the PATH: the page is not checked";
      if (System.getProperty("interlock.test.chromium", "").equals("required")) {
        Assertions.fail(reason);
      }
      System.err.println("!!! SKIPPED: " + reason);
      Assumptions.abort(reason);
    }
    browser = found.get();
    page = ReportFiles.write(SampleReport.create(), directory).get(2);
    Path wide = Files.createDirectory(directory.resolve("wide"));
    widePage = ReportFiles.write(SampleReport.wide(), wide).get(2);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void nothing_went_wrong_and_nothing_was_fetched() {
    assertThat(browser.console()).isEmpty();
    assertThat(browser.requests()).isEmpty();
  }

  @Test
  void filters_show_differences_failures_levels_and_words() {
    desktop(false);
    long all = shown();

    browser.click(".segments [value=fails]");
    assertThat(shown()).isEqualTo(2);
    assertThat(isShown("X1") && isShown("M3")).isTrue();
    browser.click(".segments [value=differs]");
    assertThat(shown()).isGreaterThan(2).isLessThan(all);
    assertThat(isShown("X5")).as("all have passed it").isFalse();
    browser.click(".segments [value=all]");
    choose("#level", "L0", "change");
    assertThat(shown()).isPositive().isLessThan(all);
    assertThat(isShown("X1")).as("it is of L1").isFalse();
    choose("#level", "", "change");
    choose("#search", "fencing token", "input");
    assertThat(shown()).isLessThan(all);
    choose("#search", "no rule has these words", "input");
    assertThat(shown()).isZero();
    assertThat(visible("#nothing")).isTrue();
  }

  @Test
  void a_cell_opens_its_evidence_and_a_rule_its_text() throws IOException {
    desktop(false);

    browser.click("tr#X1 [data-open=X1-redis-hash]");
    assertThat(text("dialog[open]"))
        .contains(
            "12,345",
            "42",
            "expected: ",
            "to check: ",
            SampleReport.HISTORY,
            SampleReport.HISTORY_FILE);
    assertThat(text("dialog[open]"))
        .contains("\"x1-lock\" is held by 2 at once from 29.900 to 31.700 ms")
        .contains("./interlock compare --providers redis-hash --rules X1 --seed 42");
    assertThat(browser.eval("[...document.querySelectorAll('dialog[open] svg rect')]"
            + ".every(bar => bar.getBoundingClientRect().width > 1)"))
        .isEqualTo(true);
    browser.picture(PICTURES.resolve("evidence.png"), false);
    browser.click("dialog[open] [data-open=rule-X1]");
    assertThat(text("dialog[open]"))
        .containsIgnoringCase("how it is tested")
        .contains("X Exclusion");
    assertThat(browser.eval("document.querySelectorAll('dialog[open]').length")).isEqualTo(1L);
    browser.click("dialog[open] [data-close]");
    assertThat(browser.eval("document.querySelector('dialog[open]')")).isNull();
  }

  @Test
  void what_happens_is_told_for_each_provider() throws IOException {
    desktop(false);

    assertThat(text("#happening-holderKilled"))
        .contains(
            "the holder's JVM is killed", "mysql", SampleReport.FACT + "1900.0 ms", "<client>");
    assertThat(text("#happening-replyLost")).contains("could not be measured: no luck");
    assertThat(browser.eval("document.querySelectorAll('.happening').length"))
        .isEqualTo((long) Happening.values().length);
    browser.eval("document.querySelector('#happenings').scrollIntoView()");
    browser.picture(PICTURES.resolve("happenings.png"), false);
    browser.screen(390, 844, 2, true);
    browser.eval("document.querySelector('#happenings').scrollIntoView()");
    browser.picture(PICTURES.resolve("happenings-phone.png"), false);
  }

  @Test
  void every_chart_is_drawn() {
    desktop(false);

    assertThat(browser.eval("document.querySelectorAll('canvas').length")).isEqualTo(3L);
    assertThat(browser.eval("[...document.querySelectorAll('canvas')].every(canvas => {"
            + " const data = canvas.getContext('2d')"
            + ".getImageData(0, 0, canvas.width, canvas.height).data;"
            + " return data.some(value => value !== 0); })"))
        .isEqualTo(true);
  }

  @Test
  void it_is_as_wide_as_the_screen_in_light_and_dark_on_a_desk_and_on_a_phone() throws IOException {
    for (boolean dark : new boolean[] {false, true}) {
      String mode = dark ? "dark" : "light";
      desktop(dark);
      assertNoSidewaysScrolling();
      browser.picture(PICTURES.resolve("desktop-" + mode + ".png"), true);
      String back = background();
      browser.screen(390, 844, 2, dark);
      browser.open(page);
      assertNoSidewaysScrolling();
      browser.picture(PICTURES.resolve("phone-" + mode + ".png"), true);
      browser.click("#theme");
      assertThat(background()).isNotEqualTo(back);
    }
  }

  @Test
  void all_columns_fit_with_every_peer_and_floor() throws IOException {
    for (boolean dark : new boolean[] {false, true}) {
      String mode = dark ? "dark" : "light";
      for (int width : new int[] {1400, 900, 390}) {
        browser.screen(width, 900, width < 600 ? 2 : 1, dark);
        browser.open(widePage);
        assertNoSidewaysScrolling();
        assertThat(browser.eval(OUTSIDE))
            .as("tables that stick out of their sheets at a width of %d", width)
            .isEqualTo(0L);
        browser.picture(PICTURES.resolve("wide-" + width + "-" + mode + ".png"), true);
      }
    }
  }

  private static void desktop(boolean dark) {
    browser.screen(1280, 900, 1, dark);
    browser.open(page);
  }

  private static void assertNoSidewaysScrolling() {
    assertThat((long) browser.eval("document.documentElement.scrollWidth - window.innerWidth"))
        .isNotPositive();
  }

  private static String background() {
    return (String) browser.eval("getComputedStyle(document.body).backgroundColor");
  }

  private static long shown() {
    return (long) browser.eval("[...document.querySelectorAll('#rules tr[data-level]')]"
        + ".filter(row => row.offsetParent !== null).length");
  }

  private static boolean isShown(String rule) {
    return visible("tr#" + rule);
  }

  private static boolean visible(String selector) {
    return (boolean)
        browser.eval("document.querySelector('" + selector + "').offsetParent !== null");
  }

  private static String text(String selector) {
    return (String) browser.eval("document.querySelector('" + selector + "').innerText");
  }

  private static void choose(String selector, String value, String event) {
    browser.eval("(() => { const field = document.querySelector('" + selector + "');"
        + " field.value = '" + value + "'; field.dispatchEvent(new Event('" + event + "')); })()");
  }
}
