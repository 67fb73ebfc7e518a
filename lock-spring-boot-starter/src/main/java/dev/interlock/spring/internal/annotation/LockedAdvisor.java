package dev.interlock.spring.internal.annotation;

import dev.interlock.spring.Locked;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/** Puts the lock before the annotated methods of all beans. */
public final class LockedAdvisor {
  /** Outside transactions and caches, which come last, and inside the checks of permissions. */
  public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

  private LockedAdvisor() {}

  public static DefaultPointcutAdvisor create(
      LockedMethods methods, MethodInterceptor interceptor, int order) {
    DefaultPointcutAdvisor advisor =
        new DefaultPointcutAdvisor(new LockedPointcut(methods), interceptor);
    advisor.setOrder(order);
    return advisor;
  }

  /** Whether a class has methods that are to be locked. */
  public static boolean isFor(Class<?> type, LockedMethods methods) {
    return new CheckedClasses(methods).matches(type);
  }

  /** Whether calls of a bean come to the locks first. */
  public static boolean isOn(@Nullable Object bean) {
    return bean instanceof Advised advised
        && Arrays.stream(advised.getAdvisors())
            .anyMatch(advisor -> advisor instanceof PointcutAdvisor of
                && of.getPointcut() instanceof LockedPointcut);
  }

  private static final class LockedPointcut extends StaticMethodMatcherPointcut {
    private final LockedMethods methods;

    LockedPointcut(LockedMethods methods) {
      this.methods = methods;
      setClassFilter(new CheckedClasses(methods));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return methods.find(method, targetClass) != null;
    }
  }

  /** Reads all methods of a class at once, so that every wrong annotation shows at start. */
  private record CheckedClasses(LockedMethods methods) implements ClassFilter {
    @Override
    public boolean matches(Class<?> type) {
      if (!AnnotationUtils.isCandidateClass(type, Locked.class)) {
        return false;
      }
      MethodFilter locked = method -> methods.find(method, type) != null;
      return !MethodIntrospector.selectMethods(type, locked).isEmpty();
    }
  }
}
