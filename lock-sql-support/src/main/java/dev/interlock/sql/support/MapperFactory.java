package dev.interlock.sql.support;

import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.ibatis.builder.xml.XMLMapperBuilder;
import org.apache.ibatis.datasource.unpooled.UnpooledDataSource;
import org.apache.ibatis.logging.nologging.NoLoggingImpl;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.LocalCacheScope;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;

/** Sets MyBatis up. */
public final class MapperFactory {
  private MapperFactory() {}

  /**
   * Reads the statements of a mapper from the XML file beside it.
   *
   * @param mapper the interface
   * @param constants what stands in the file for <code>${...}</code>
   * @return opens it on a connection, which it does not close
   */
  public static SqlSessionFactory of(Class<?> mapper, Map<String, String> constants) {
    Configuration configuration = new Configuration();
    ManagedTransactionFactory transactions = new ManagedTransactionFactory();
    Properties keepOpen = new Properties();
    keepOpen.setProperty("closeConnection", "false");
    transactions.setProperties(keepOpen);
    // The data source is never asked: every session is given its connection.
    configuration.setEnvironment(
        new Environment("interlock", transactions, new UnpooledDataSource()));
    configuration.setLogImpl(NoLoggingImpl.class);
    configuration.setMapUnderscoreToCamelCase(true);
    // A cache would answer the second reading of a lock with the first one.
    configuration.setLocalCacheScope(LocalCacheScope.STATEMENT);
    configuration.setCacheEnabled(false);
    Properties variables = new Properties();
    variables.putAll(constants);
    configuration.setVariables(variables);
    String file = mapper.getName().replace('.', '/') + ".xml";
    new XMLMapperBuilder(
            Objects.requireNonNull(mapper.getClassLoader().getResourceAsStream(file), file),
            configuration,
            file,
            configuration.getSqlFragments())
        .parse();
    return new SqlSessionFactoryBuilder().build(configuration);
  }
}
