package dev.interlock.spring;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.Locks;
import dev.interlock.mysql.MysqlLocks;
import dev.interlock.redis.hash.RedisHashLocks;
import io.lettuce.core.RedisClient;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/** Opens the client, over connections of its own or of the application. */
final class ClientOpener {
  private ClientOpener() {}

  static LockClient open(Reuse reuse, LockConfig config, BeanFactory beans) {
    return switch (reuse) {
      case NONE -> Locks.open(config);
      case DATA_SOURCE -> OverDataSource.open(config, beans);
      case LETTUCE -> OverLettuce.open(config, beans);
    };
  }

  private static <T> T bean(BeanFactory beans, Class<T> type, String property) {
    try {
      return beans.getBean(type);
    } catch (NoSuchBeanDefinitionException e) {
      throw new LockConfigurationException(
          "interlock.reuse=%s needs one bean of type %s, or one that is primary"
              .formatted(property, type.getName()),
          e);
    }
  }

  // The libraries that each of these needs are optional.

  private static final class OverDataSource {
    static LockClient open(LockConfig config, BeanFactory beans) {
      return MysqlLocks.using(bean(beans, DataSource.class, "data-source"), config);
    }
  }

  private static final class OverLettuce {
    private static final boolean SPRING_DATA = ClassUtils.isPresent(
        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
        OverLettuce.class.getClassLoader());

    static LockClient open(LockConfig config, BeanFactory beans) {
      boolean own = beans.getBeanProvider(RedisClient.class).getIfUnique() != null;
      RedisClient redis = own || !SPRING_DATA
          ? bean(beans, RedisClient.class, "lettuce")
          : OverSpringData.client(beans);
      return RedisHashLocks.using(redis, config);
    }
  }

  private static final class OverSpringData {
    static RedisClient client(BeanFactory beans) {
      LettuceConnectionFactory factory = bean(beans, LettuceConnectionFactory.class, "lettuce");
      factory.start();
      if (factory.getNativeClient() instanceof RedisClient redis) {
        return redis;
      }
      throw new LockConfigurationException(
          "interlock.reuse=lettuce needs a client of a single server; Spring Data has one of a cluster");
    }
  }
}
