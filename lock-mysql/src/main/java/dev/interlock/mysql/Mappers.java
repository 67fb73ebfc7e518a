package dev.interlock.mysql;

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
final class Mappers {
  private static final String FILE = "dev/interlock/mysql/LockMapper.xml";

  private Mappers() {}

  /**
   * Reads the statements.
   *
   * @param prefix how the names of the tables begin
   * @param setsIsolation whether each transaction has to set its isolation level itself
   */
  static SqlSessionFactory create(String prefix, boolean setsIsolation) {
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
    variables.setProperty("prefix", prefix);
    variables.setProperty("cut", Integer.toString(Protocol.CUT_SECONDS));
    variables.setProperty(
        "isolation", setsIsolation ? "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;" : "");
    configuration.setVariables(variables);
    new XMLMapperBuilder(
            Mappers.class.getClassLoader().getResourceAsStream(FILE),
            configuration,
            FILE,
            configuration.getSqlFragments())
        .parse();
    return new SqlSessionFactoryBuilder().build(configuration);
  }
}
