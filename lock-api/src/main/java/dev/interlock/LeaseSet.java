package dev.interlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The leases of {@link LockClient#acquireAll}: one for each lock, each with its own name, fencing
 * token and end. The set is valid while all of them are.
 *
 * <p>Thread-safe, like {@link Lease}; blocks and reacts to interruption as that does.
 */
public interface LeaseSet extends AutoCloseable {

  /**
   * A lease of the set that ended without a release.
   *
   * @param lease which
   * @param reason why
   */
  record Loss(Lease lease, LostReason reason) {}

  /**
   * Returns the leases.
   *
   * @return one for each request, in the order of the requests; cannot be changed
   */
  List<Lease> leases();

  /**
   * Returns the lease on one of the locks.
   *
   * @param name the lock
   * @return its lease
   * @throws IllegalArgumentException if the set has none of this name
   */
  Lease lease(String name);

  /**
   * Returns how long all leases are certainly still valid, without I/O.
   *
   * @return the time left of the one that ends first; zero when one is not valid
   */
  Duration remaining();

  /**
   * Tells whether all leases are certainly still held, without I/O.
   *
   * @return false once one was released or lost, or its time has passed
   */
  boolean isValid();

  /**
   * Checks {@link #isValid()}.
   *
   * @throws LeaseLostException of the first lease that is not valid
   */
  void ensureValid();

  /**
   * Makes every lease last at least this long from now. Each is asked for, whatever becomes of the
   * others; none is shortened.
   *
   * @param lease from 10 ms to 365 days
   * @return true only if all were still held; otherwise those that were not are no longer
   *     {@link Lease#isValid() valid}, and the others were extended
   * @throws IllegalArgumentException if the time is out of range
   * @throws UnsupportedCapabilityException if the provider is not {@link Capability#RENEWABLE}
   * @throws BackendUnavailableException if the backend could not be asked for at least one of them
   * @throws OutcomeUnknownException if no answer came for at least one of them;
   *     {@link Lease#remaining()} tells what is certain of each
   */
  boolean extend(Duration lease);

  /**
   * Tells when the first of these leases is lost; see {@link Lease#lost()}. The others stay held
   * until they are released.
   *
   * @return a stage that cannot be completed or cancelled from outside
   */
  CompletionStage<Loss> lost();

  /**
   * Releases every lease, the last one taken first; what fails does not keep the others from being
   * released.
   *
   * @throws LeaseLostException if one was gone, or was released before
   * @throws OutcomeUnknownException if an answer did not come; what is left is removed in the
   *     background. If several fail, the first failure has the others suppressed.
   */
  void release();

  /**
   * Releases those that were not released before. Idempotent.
   *
   * @throws LeaseLostException if one was lost
   */
  @Override
  void close();
}
