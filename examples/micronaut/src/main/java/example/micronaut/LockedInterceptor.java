package example.micronaut;

import dev.interlock.DistributedLock;
import dev.interlock.LockClient;
import io.micronaut.aop.InterceptPhase;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import jakarta.inject.Singleton;

/** For methods that are done when they return. */
@Singleton
@InterceptorBean(Locked.class)
class LockedInterceptor implements MethodInterceptor<Object, Object> {
  private final LockClient locks;

  LockedInterceptor(LockClient locks) {
    this.locks = locks;
  }

  /** Outside of transactions: the next one shall see what this one committed. */
  @Override
  public int getOrder() {
    return InterceptPhase.TRANSACTION.getPosition() - 10;
  }

  @Override
  public Object intercept(MethodInvocationContext<Object, Object> call) {
    DistributedLock lock = locks.lock(call.stringValue(Locked.class).orElseThrow());
    lock.lock();
    try {
      return call.proceed();
    } finally {
      lock.unlock();
    }
  }
}
