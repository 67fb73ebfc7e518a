package dev.interlock.compare.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockUrisTest {
  private static final String FULL = "redis-setnx://user:pass@host:6380/2?lease=PT5S";

  @Test
  void finds_the_parts() {
    assertThat(LockUris.scheme(FULL)).contains("redis-setnx");
    assertThat(LockUris.host(FULL)).contains("host");
    assertThat(LockUris.port(FULL)).hasValue(6380);
    assertThat(LockUris.host("a://[::1]:5")).contains("::1");
    assertThat(LockUris.port("a://host")).isEmpty();
    assertThat(LockUris.host("a://one:1,two:2")).isEmpty();
    assertThat(LockUris.scheme("no uri")).isEmpty();
  }

  @Test
  void redirects_without_touching_the_rest() {
    assertThat(LockUris.redirect(FULL, "127.0.0.1:99"))
        .isEqualTo("redis-setnx://user:pass@127.0.0.1:99/2?lease=PT5S");
  }

  @Test
  void adds_options() {
    assertThat(LockUris.withOption("a://h", "x", "1")).isEqualTo("a://h?x=1");
    assertThat(LockUris.withOption("a://h?y=2", "x", "1")).isEqualTo("a://h?y=2&x=1");
    assertThat(LockUris.hasOption(FULL, "lease")).isTrue();
    assertThat(LockUris.hasOption(FULL, "ease")).isFalse();
  }
}
