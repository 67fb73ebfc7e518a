package dev.interlock.spring.internal.call;

import dev.interlock.spring.internal.annotation.LockedAdvisor;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * A call of a proxy whose target is a proxy that locks, too: a second creator of proxies has made
 * the outer one, such as a {@code DefaultAdvisorAutoProxyCreator} of the application. The outer one
 * takes the lock, around the advice of both, and the inner one does not: a call that takes its lock
 * twice waits for itself.
 */
record OuterCall(MethodInvocation outer, Object inner) implements MethodInvocation {
  /** The proxy that is about to be called by one that has the lock. */
  private static final ThreadLocal<@Nullable Object> NEXT = new ThreadLocal<>();

  /** The call as it is to be locked. */
  static MethodInvocation of(MethodInvocation call) {
    Object inner = innerProxy(call);
    return inner == null ? call : new OuterCall(call, inner);
  }

  private static @Nullable Object innerProxy(MethodInvocation call) {
    Object target = call.getThis();
    return LockedAdvisor.isOn(target) ? target : null;
  }

  /** Whether the lock of this call was taken by a proxy before this one. */
  static boolean isLocked(MethodInvocation call) {
    Object next = NEXT.get();
    return next != null && call instanceof ProxyMethodInvocation of && of.getProxy() == next;
  }

  /** A call that can go on once, as another one that can. */
  static MethodInvocation again(MethodInvocation call) {
    if (call instanceof OuterCall known) {
      return new OuterCall(again(known.outer), known.inner);
    }
    return call instanceof ProxyMethodInvocation proxy ? proxy.invocableClone() : call;
  }

  /** Goes on with the call of an inner proxy, which may have another one within. */
  static @Nullable Object proceedInner(MethodInvocation call) throws Throwable {
    return with(innerProxy(call), call);
  }

  @Override
  public @Nullable Object proceed() throws Throwable {
    return with(inner, outer);
  }

  private static @Nullable Object with(@Nullable Object next, MethodInvocation call)
      throws Throwable {
    Object before = NEXT.get();
    NEXT.set(next);
    try {
      return call.proceed();
    } finally {
      if (before == null) {
        NEXT.remove();
      } else {
        NEXT.set(before);
      }
    }
  }

  @Override
  public Method getMethod() {
    return outer.getMethod();
  }

  @Override
  public Object[] getArguments() {
    return outer.getArguments();
  }

  @Override
  public @Nullable Object getThis() {
    return outer.getThis();
  }

  @Override
  public AccessibleObject getStaticPart() {
    return outer.getStaticPart();
  }
}
