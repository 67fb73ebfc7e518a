package dev.interlock.tck;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import java.util.Set;

/**
 * Opens clients of a lock that has an API of its own and no provider for Interlock, so that the kit
 * can judge it by the rules which that API can express. Named by
 * {@link TckBackend#openWith(Class)}; an implementation is a public class with a public constructor
 * without arguments, for the JVMs that the kit forks make one, too.
 *
 * <p>The clients pass every call straight on: what the kit sees is the lock's own doing. What the
 * API cannot express throws {@link NotOfferedException}.
 */
public interface ClientSource {

  /**
   * Names the lock.
   *
   * @return what the report calls it
   */
  String id();

  /**
   * Tells the lock's version.
   *
   * @return the version of its artifact
   */
  String version();

  /**
   * Tells which groups of rules the lock can be held to.
   *
   * @return what it promises
   */
  Set<Capability> capabilities();

  /**
   * Opens a client. Thread-safe; may block until the server has been reached.
   *
   * @param uri as the kit was given it, or with the address of a proxy in place of the server's
   * @return a client that the caller closes
   * @throws dev.interlock.LockException if the server cannot be reached
   */
  LockClient open(String uri);
}
