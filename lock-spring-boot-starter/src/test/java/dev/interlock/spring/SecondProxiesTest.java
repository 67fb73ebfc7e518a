package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/**
 * An application with a second creator of proxies, as guides to some libraries ask for: it puts a
 * proxy before each proxy, with the same advisors.
 */
@Timeout(60)
class SecondProxiesTest {

  @Configuration(proxyBeanMethods = false)
  static class Second {
    @Bean
    static DefaultAdvisorAutoProxyCreator secondProxies() {
      DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
      creator.setProxyTargetClass(true);
      return creator;
    }

    @Bean
    static Advisor advice() {
      MethodInterceptor advice = call -> {
        ADVISED.add(call.getMethod().getName() + " with " + CurrentLease.get().name());
        return call.proceed();
      };
      return new DefaultPointcutAdvisor(
          AnnotationMatchingPointcut.forMethodAnnotation(Locked.class), advice);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Third {
    @Bean
    static DefaultAdvisorAutoProxyCreator thirdProxies() {
      return Second.secondProxies();
    }
  }

  /** Calls to which advice of the application was given, and the locks that they had by then. */
  private static final List<String> ADVISED = new CopyOnWriteArrayList<>();

  static class Work {
    private final AtomicInteger runs = new AtomicInteger();

    public int runs() {
      return runs.get();
    }

    @LockedJob(name = "job", atLeast = "50s")
    public void job() {
      runs.incrementAndGet();
    }

    @Limited(name = "limited", permits = 1, waitFor = "0")
    public String limited() {
      return CurrentLease.get().name();
    }

    @Locked(name = "plain", waitFor = "0")
    public String plain() {
      return CurrentLease.get().name();
    }

    @Locked(name = "stage", waitFor = "0")
    public CompletableFuture<String> stage() {
      return CompletableFuture.completedFuture(CurrentLease.get().name());
    }

    @Locked(name = "mono", waitFor = "0")
    public Mono<String> mono() {
      return Mono.deferContextual(context ->
          Mono.just(context.<dev.interlock.Lease>get(CurrentLease.CONTEXT_KEY).name()));
    }
  }

  private static Object targetOf(Object proxy) throws Exception {
    assertThat(proxy).isInstanceOf(Advised.class);
    return ((Advised) proxy).getTargetSource().getTarget();
  }

  private ConfigurableApplicationContext context;
  private Work work;

  @BeforeEach
  void start() throws Exception {
    context = Contexts.local(List.of(Second.class, Work.class));
    work = context.getBean(Work.class);
    assertThat(targetOf(work)).isInstanceOf(Advised.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void a_job_runs_once() {
    work.job();
    work.job();
    assertThat(work.runs()).isEqualTo(1);
  }

  @Test
  void a_call_takes_its_permits_once() {
    assertThat(work.limited()).isEqualTo("limited");
  }

  @Test
  void a_call_has_its_lock() throws Exception {
    assertThat(work.plain()).isEqualTo("plain");
    assertThat(work.stage().get(10, TimeUnit.SECONDS)).isEqualTo("stage");
  }

  /** Or it would put results in a cache, or commit, when the lock is somebody else's. */
  @Test
  void other_advice_runs_within_the_lock() {
    ADVISED.clear();
    work.plain();
    assertThat(ADVISED).isNotEmpty().containsOnly("plain with plain");
  }

  @Test
  void a_subscription_does_not_wait_for_itself() {
    Mono<String> mono = work.mono();
    assertThat(mono.block()).isEqualTo("mono");
    assertThat(mono.block()).isEqualTo("mono");
  }

  @Test
  void the_outermost_of_three_proxies_takes_the_lock() throws Exception {
    try (ConfigurableApplicationContext three =
        Contexts.local(List.of(Second.class, Third.class, Work.class))) {
      Work behindThree = three.getBean(Work.class);
      assertThat(targetOf(targetOf(behindThree))).isInstanceOf(Advised.class);
      assertThat(behindThree.plain()).isEqualTo("plain");
      assertThat(behindThree.limited()).isEqualTo("limited");
      assertThat(behindThree.stage().get(10, TimeUnit.SECONDS)).isEqualTo("stage");
      assertThat(behindThree.mono().block()).isEqualTo("mono");
    }
  }
}
