package dev.interlock.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * One call of a {@link Locked} method, as the strategies of an application see it. Immutable, but
 * for what the arguments are.
 *
 * @param method as its class declares it, with the annotation
 * @param type the class of the bean
 * @param arguments those of the call; of a suspend function of Kotlin the last one is its
 *     continuation
 */
public record LockedCall(Method method, Class<?> type, List<@Nullable Object> arguments) {

  static LockedCall of(LockedMethod locked, MethodInvocation invocation) {
    Object target = invocation.getThis();
    Class<?> type =
        target == null ? locked.method().getDeclaringClass() : AopUtils.getTargetClass(target);
    List<@Nullable Object> arguments = new ArrayList<>();
    for (Object argument : invocation.getArguments()) {
      arguments.add(argument); // which may be null
    }
    return new LockedCall(locked.method(), type, Collections.unmodifiableList(arguments));
  }
}
