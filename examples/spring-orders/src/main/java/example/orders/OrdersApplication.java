package example.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Takes orders over HTTP, and reports on them once a minute, however many instances run. */
@SpringBootApplication
@EnableScheduling
public class OrdersApplication {

  @Bean
  Prices prices() {
    return items -> 250L * items;
  }

  public static void main(String[] arguments) {
    System.setProperty("h2.bindAddress", "127.0.0.1"); // serves the database to this machine only
    SpringApplication.run(OrdersApplication.class, arguments);
  }
}
