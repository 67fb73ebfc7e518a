/**
 * The technology-compatibility kit: what a lock promises, as rules that any backend can be run
 * against.
 */
module dev.interlock.tck {
  requires transitive dev.interlock.api;
  requires static transitive org.jspecify;
  requires static transitive org.junit.jupiter.api;
  requires static java.instrument;
  requires java.management;

  exports dev.interlock.tck;

  uses dev.interlock.spi.LockProvider;
}
