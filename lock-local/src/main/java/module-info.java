/** Locks within one JVM. */
module dev.interlock.local {
  requires transitive dev.interlock.api;
  requires static transitive org.jspecify;

  exports dev.interlock.local;

  provides dev.interlock.spi.LockProvider with
      dev.interlock.local.LocalProvider;
}
