package dev.interlock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Tests the locks of a few components, and starts nothing else: of auto-configuration the locks and
 * their proxies (AopAutoConfiguration), and no other components of the application but its
 * {@code LockNaming}, {@code LockFailureStrategy} and {@code LockListener} beans. The locks are
 * those of {@link AutoConfigureTestLocks}, with {@link TestLocks}. What the components need besides
 * is the test's to give, by {@code @Import} or {@code @MockitoBean}.
 *
 * <p>A slice as those of Spring Boot: the application is the class with
 * {@code @SpringBootConfiguration} that is found from the test's package on upwards, and its
 * {@code @Bean} methods are not left out. For JUnit Jupiter. A test of the whole application has
 * {@code @SpringBootTest} and {@link AutoConfigureTestLocks} instead.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@BootstrapWith(LockTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(LockTypeExcludeFilter.class)
@ImportAutoConfiguration
@AutoConfigureTestLocks
public @interface LockTest {

  /** Same as {@link #components}. */
  @AliasFor("components")
  Class<?>[] value() default {};

  /** The components under test, which the application's component scan finds. */
  @AliasFor("value")
  Class<?>[] components() default {};

  /** Properties for the test, each {@code key=value}. */
  String[] properties() default {};

  /** Whether the application's beans that concern locks take part, as far as a scan finds them. */
  boolean useDefaultFilters() default true;

  /** Further components that take part. */
  ComponentScan.Filter[] includeFilters() default {};

  /** Components that do not take part, also if they would otherwise. */
  ComponentScan.Filter[] excludeFilters() default {};

  /** Auto-configuration that does not take part. */
  @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
  Class<?>[] excludeAutoConfiguration() default {};
}
