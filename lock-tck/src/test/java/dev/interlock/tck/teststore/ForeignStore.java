package dev.interlock.tck.teststore;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.tck.ClientSource;
import dev.interlock.tck.NotOfferedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/** The store as if it had no provider but an API of its own, which lacks {@code acquireAll}. */
public final class ForeignStore implements ClientSource {
  public ForeignStore() {}

  @Override
  public String id() {
    return "foreign";
  }

  @Override
  public String version() {
    return "1.2";
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.FENCED);
  }

  @Override
  public LockClient open(String uri) {
    LockClient client = Locks.open(uri);
    return (LockClient) Proxy.newProxyInstance(
        LockClient.class.getClassLoader(),
        new Class<?>[] {LockClient.class},
        (proxy, method, arguments) -> {
          if (method.getName().equals("acquireAll")) {
            throw new NotOfferedException("acquireAll");
          }
          try {
            return method.invoke(client, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }
}
