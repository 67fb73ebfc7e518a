/** The report in all its forms: terminal, JSON, Markdown, page. */
@NullMarked
package dev.interlock.compare.report;

import org.jspecify.annotations.NullMarked;
