package dev.interlock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Replaces each {@code LockClient} bean of the application under test by one whose locks are in the
 * JVM, so that no server is needed. Beside {@code @SpringBootTest}, or any other annotation that
 * starts a context. A bean of type {@link TestLocks} is added.
 *
 * <p>Each context has locks of its own. After each test method, and after the end of its
 * transaction, the locks that it left are freed: those that {@link TestLocks#hold} took and those
 * of once-only jobs. The lock of a job that is still at work then is freed after the test in which
 * that ends.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(LocalClients.class)
public @interface AutoConfigureTestLocks {}
