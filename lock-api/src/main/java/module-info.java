/** The API that applications code against, the SPI that providers implement, and the engine. */
module dev.interlock.api {
  requires static transitive org.jspecify;

  exports dev.interlock;
  exports dev.interlock.spi;

  uses dev.interlock.spi.LockProvider;
}
