package dev.interlock.spring;

import java.lang.reflect.Method;

/**
 * How the locks of {@link Locked} methods are named; a bean of this type holds for all of them.
 * Without one the names are those of the annotations. All instances of an application must name a
 * lock alike, also while a new version replaces an old one. Called on the caller's thread, at each
 * call; should be quick, and not depend on beans with such methods. Thread-safe.
 *
 * <p>To keep the locks of several applications on one server apart, {@code interlock.namespace} is
 * enough; it also holds for {@link LockTemplate} and the {@code LockClient}, whose names this does
 * not change.
 */
@FunctionalInterface
public interface LockNaming {

  /**
   * Names the lock of one call, or one of several.
   *
   * @param call the call
   * @param name what the annotation says, with its expressions evaluated
   * @return the lock's name, by which {@link CurrentLease#of(String)} finds it as well
   */
  String name(LockedCall call, String name);

  /**
   * Gives the annotation's name to a method that has none, at start. By default such a method is
   * refused: its lock would be another one as soon as somebody renames the method, which two
   * versions of an application that run at once would not notice.
   *
   * @param method the method
   * @return a text as in {@link Locked#name}, such as {@code order-#{#p0}}; empty to refuse the
   *     method
   */
  default String unnamed(Method method) {
    return "";
  }
}
