package dev.interlock.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.figures.Figures;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MarkdownTest {

  @Test
  void a_text_stays_in_its_cell_and_is_neither_code_nor_html() {
    assertThat(Markdown.cell("a | b\n  `c`\r\n<b>d</b> & [e](f) *g* h\\"))
        .isEqualTo("a \\| b \\`c\\` &lt;b&gt;d&lt;/b&gt; &amp; \\[e](f) \\*g\\* h\\\\");
    assertThat(Markdown.cell("MariaDB 11.4.5, SHARED_OWNER (peer)"))
        .isEqualTo("MariaDB 11.4.5, SHARED_OWNER (peer)");
  }

  @Test
  void code_is_fenced_by_more_backticks_than_are_in_it() {
    assertThat(Markdown.code("a b")).isEqualTo("`a b`");
    assertThat(Markdown.code("a `b`` c\nd")).isEqualTo("```a `b`` c d```");
    assertThat(Markdown.code("`a`")).isEqualTo("`` `a` ``");
    assertThat(Markdown.block("a\n```\nb")).isEqualTo("````\na\n```\nb\n````");
    assertThat(Markdown.block("a")).isEqualTo("```\na\n```");
  }

  @Test
  void what_a_server_says_breaks_no_table_of_the_report() {
    String odd = "a|b\n```\n<script>&amp; `c";
    ProviderReport provider =
        new ProviderReport("acme", odd, odd, odd, Set.of(), List.of(), new Figures(), odd);
    Report report = new Report(
        Instant.EPOCH,
        Effort.QUICK,
        7,
        Duration.ZERO,
        SampleReport.MACHINE,
        List.of(provider),
        List.of(),
        Optional.of(
            new Changes("then", List.of(new Changes.Change("acme", odd, odd, odd)), List.of())));

    String markdown = ReportFiles.markdown(report);

    String cell = "a\\|b \\`\\`\\` &lt;script&gt;&amp;amp; \\`c";
    assertThat(markdown.lines())
        .contains(
            "| acme | %s | %s | %s |  | not judged, for not all rules were run | the kit could"
                    .formatted(cell, cell, cell)
                + " not run: " + cell + " |",
            "| acme | %s | %s | %s |".formatted(cell, cell, cell));
    assertThat(markdown).doesNotContain("<script>");
  }
}
