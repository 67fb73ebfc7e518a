package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails every test of this module after which the log has an error that the test did not take. */
public final class NoErrorLogged implements AfterEachCallback, AfterAllCallback {

  @Override
  public void afterEach(ExtensionContext context) {
    assertThat(ErrorLog.take()).as("errors in the log").isEmpty();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    afterEach(context);
  }
}
