package dev.interlock.spring.internal.annotation;

import dev.interlock.spring.CurrentLease;
import dev.interlock.spring.Locked;

/** A base class whose subclasses are in other packages. */
public class OtherPackage {
  @Locked("a")
  boolean work() {
    return CurrentLease.find().isPresent();
  }

  public static boolean call(OtherPackage bean) {
    return bean.work();
  }
}
