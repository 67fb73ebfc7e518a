package example.micronaut;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;

/** One client for the whole application, opened when it is first used. */
@Factory
class LockClients {

  @Singleton
  @Bean(preDestroy = "close")
  LockClient locks(@Value("${interlock.uri}") String uri) {
    return Locks.open(uri);
  }
}
