package dev.interlock.spring;

/** Which connections of the application the locks use. */
enum Reuse {
  /** None: the client that {@code interlock.uri} names opens its own. */
  NONE,
  /** The application's {@code DataSource}, by lock-mysql. */
  DATA_SOURCE,
  /** The application's Lettuce client, or Spring Data Redis' one, by lock-redis-hash. */
  LETTUCE
}
