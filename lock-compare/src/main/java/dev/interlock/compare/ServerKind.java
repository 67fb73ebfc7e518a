package dev.interlock.compare;

/** What kind of server a provider needs, and how to get one. */
enum ServerKind {
  /** The provider works within the JVM. */
  NONE {
    @Override
    Backend start(String provider) {
      return new InJvmBackend(provider + "://");
    }

    @Override
    Backend at(String uri) {
      return new InJvmBackend(uri);
    }
  },

  /** A Redis server, one for each provider, so that none sees what another left. */
  REDIS {
    @Override
    Backend start(String provider) {
      return RedisBackends.start(provider);
    }

    @Override
    Backend at(String uri) {
      return RedisBackends.at(uri);
    }
  },

  /** A MySQL or MariaDB server. */
  MYSQL {
    @Override
    Backend start(String provider) {
      return MysqlBackends.start(provider);
    }

    @Override
    Backend at(String uri) {
      return MysqlBackends.at(uri);
    }
  };

  /** Starts a server, unless the environment gives one, for a provider. */
  abstract Backend start(String provider);

  /** Uses a server that runs already. */
  abstract Backend at(String uri);
}
