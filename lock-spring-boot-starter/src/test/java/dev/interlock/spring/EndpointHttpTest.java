package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The endpoint as an operator uses it: over HTTP. */
@Timeout(60)
class EndpointHttpTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static ConfigurableApplicationContext start(String... properties) {
    List<String> all = new ArrayList<>(Arrays.asList(properties));
    all.add("interlock.uri=local://");
    all.add("interlock.namespace=" + Contexts.namespace());
    all.add("server.port=0");
    all.add("server.address=127.0.0.1");
    return new SpringApplicationBuilder(Contexts.Plain.class)
        .web(WebApplicationType.SERVLET)
        .logStartupInfo(false)
        .properties(all.toArray(String[]::new))
        .run();
  }

  private static HttpResponse<String> call(
      ConfigurableApplicationContext context, String method, String path)
      throws IOException, InterruptedException {
    String port = context.getEnvironment().getProperty("local.server.port");
    URI uri = URI.create("http://127.0.0.1:" + port + "/actuator" + path);
    return HTTP.send(
        HttpRequest.newBuilder(uri)
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static Lease hold(ConfigurableApplicationContext context, String name) {
    return context.getBean(LockClient.class).tryAcquire(LockRequest.of(name)).orElseThrow();
  }

  @Test
  void it_is_not_there_unless_it_is_exposed() throws Exception {
    try (var context = start()) {
      assertThat(call(context, "GET", "/locks").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void exposed_it_lists_what_is_held_and_takes_nothing_from_a_holder() throws Exception {
    try (var context = start("management.endpoints.web.exposure.include=locks");
        Lease lease = hold(context, "order-7")) {
      HttpResponse<String> list = call(context, "GET", "/locks");
      assertThat(list.statusCode()).isEqualTo(200);
      assertThat(list.body())
          .contains("\"name\":\"order-7\"", "\"fencingToken\":" + lease.fencingToken());

      HttpResponse<String> one = call(context, "GET", "/locks/order-7");
      assertThat(one.statusCode()).isEqualTo(200);
      assertThat(one.body()).contains("\"fencingToken\":" + lease.fencingToken(), "\"owner\"");
      assertThat(call(context, "GET", "/locks/free").statusCode()).isEqualTo(404);

      assertThat(call(context, "DELETE", "/locks/order-7").statusCode()).isEqualTo(405);
      assertThat(lease.isValid()).isTrue();
      assertThat(call(context, "GET", "/locks/order-7").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void with_access_to_write_it_takes_a_lock_from_its_holder() throws Exception {
    try (var context = start(
        "management.endpoints.web.exposure.include=locks",
        "management.endpoint.locks.access=unrestricted")) {
      Lease lease = hold(context, "order-7");
      assertThat(call(context, "DELETE", "/locks/order-7?fencingToken=1").body())
          .isEqualTo("{\"released\":false}");
      lease.ensureValid();
      HttpResponse<String> forced =
          call(context, "DELETE", "/locks/order-7?fencingToken=" + lease.fencingToken());
      assertThat(forced.statusCode()).isEqualTo(200);
      assertThat(forced.body()).isEqualTo("{\"released\":true}");
      assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
      assertThat(call(context, "GET", "/locks/order-7").statusCode()).isEqualTo(404);
      assertThat(call(context, "GET", "/locks").body()).isEqualTo("{\"held\":[]}");
      hold(context, "order-7");
      assertThat(call(context, "DELETE", "/locks/order-7").body()).isEqualTo("{\"released\":true}");
      assertThat(call(context, "DELETE", "/locks/order-7").body())
          .isEqualTo("{\"released\":false}");
    }
  }

  /** Such as strategies give: servers refuse a slash that is a part of a path's segment. */
  @ParameterizedTest
  @ValueSource(strings = {"Orders/order-7", "/", "a//b", "a\\b", "order-7"})
  void a_name_that_no_path_can_have_is_given_beside_it(String name) throws Exception {
    try (var context = start(
        "management.endpoints.web.exposure.include=locks",
        "management.endpoint.locks.access=unrestricted")) {
      String named = "/locks?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
      assertThat(call(context, "GET", named).statusCode()).isEqualTo(404);
      Lease lease = hold(context, name);
      Lease other = hold(context, "a/b");
      HttpResponse<String> one = call(context, "GET", named);
      assertThat(one.statusCode()).isEqualTo(200);
      assertThat(one.body()).contains("\"fencingToken\":" + lease.fencingToken(), "\"owner\"");

      assertThat(call(context, "DELETE", named + "&fencingToken=1").body())
          .isEqualTo("{\"released\":false}");
      lease.ensureValid();
      assertThat(call(context, "DELETE", named).body()).isEqualTo("{\"released\":true}");
      assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
      other.release();
    }
  }

  @Test
  void a_name_that_no_lock_can_have_is_refused() throws Exception {
    try (var context = start(
        "management.endpoints.web.exposure.include=locks",
        "management.endpoint.locks.access=unrestricted")) {
      Lease lease = hold(context, "order-7");
      assertThat(call(context, "DELETE", "/locks").statusCode()).isEqualTo(400);
      for (String wrong : List.of("/locks?name=", "/locks/" + "x".repeat(2_000))) {
        assertThat(call(context, "GET", wrong).statusCode()).isEqualTo(400);
        assertThat(call(context, "DELETE", wrong).statusCode()).isEqualTo(400);
      }
      lease.release();
    }
    try (var context = start("management.endpoints.web.exposure.include=locks")) {
      Lease lease = hold(context, "order-7");
      assertThat(call(context, "DELETE", "/locks?name=order-7").statusCode()).isEqualTo(405);
      lease.release();
    }
  }
}
