import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import java.util.Arrays;

/** Runs a command beside a server of the tests, which ends with it: redis|mysql|postgres COMMAND... */
class WithServer {
  public static void main(String[] args) throws Exception {
    String[] command = Arrays.copyOfRange(args, 1, args.length);
    int status;
    switch (args[0]) {
      case "redis" -> {
        try (RedisServer server = TestRedis.start()) {
          status = run(server.uri(), command);
        }
      }
      case "mysql" -> {
        try (MysqlServer server = TestMysql.start()) {
          status = run(server.uri(), command);
        }
      }
      case "postgres" -> {
        try (PostgresServer server = TestPostgres.start()) {
          status = run(server.uri(), command);
        }
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(status);
  }

  /** The command finds the server's address, with credentials, in SERVER_URI. */
  private static int run(String uri, String[] command) throws Exception {
    ProcessBuilder process = new ProcessBuilder(command).inheritIO();
    process.environment().put("SERVER_URI", uri);
    return process.start().waitFor();
  }
}
