/** The report: terminal, JSON, Markdown. */
@NullMarked
package dev.interlock.bench.report;

import org.jspecify.annotations.NullMarked;
