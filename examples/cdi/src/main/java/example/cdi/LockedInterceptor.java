package example.cdi;

import dev.interlock.DistributedLock;
import dev.interlock.LockClient;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/** Outside of transactions, which begin at 200: the next one shall see what this one committed. */
@Locked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
class LockedInterceptor {
  @Inject
  LockClient locks;

  @AroundInvoke
  Object call(InvocationContext call) throws Exception {
    DistributedLock lock = locks.lock(call.getMethod().getAnnotation(Locked.class).value());
    lock.lock();
    try {
      return call.proceed();
    } finally {
      lock.unlock();
    }
  }
}
