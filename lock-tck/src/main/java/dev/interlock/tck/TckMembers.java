package dev.interlock.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The servers of a backend that is made of several, each of which the kit may injure alone.
 * Immutable: {@link #with} returns a changed copy.
 */
public final class TckMembers {

  /**
   * One of them.
   *
   * @param uri the member as it would be opened alone, which may carry a password
   * @param server what can be done to it
   */
  public record Member(String uri, TckServer server) {

    /** Checks. */
    public Member {
      Objects.requireNonNull(uri, "uri");
      Objects.requireNonNull(server, "server");
    }

    /** Prints nothing of the URI. */
    @Override
    public String toString() {
      return "Member";
    }
  }

  private final int need;
  private final Function<List<String>, String> joiner;
  private final List<Member> members;

  private TckMembers(int need, Function<List<String>, String> joiner, List<Member> members) {
    this.need = need;
    this.joiner = joiner;
    this.members = members;
  }

  /**
   * Starts without members.
   *
   * @param need how many of them must be well for locks to be granted
   * @param joiner makes the URI of the whole from the URIs of its members
   * @return no members yet
   */
  public static TckMembers needing(int need, Function<List<String>, String> joiner) {
    return new TckMembers(need, Objects.requireNonNull(joiner, "joiner"), List.of());
  }

  /**
   * Adds a member behind the others.
   *
   * @param uri the member as it would be opened alone
   * @param server what can be done to it
   * @return the changed copy
   */
  public TckMembers with(String uri, TckServer server) {
    List<Member> more = new ArrayList<>(members);
    more.add(new Member(uri, server));
    return new TckMembers(need, joiner, List.copyOf(more));
  }

  /**
   * Returns how many members must be well for locks to be granted.
   *
   * @return at least one
   */
  public int need() {
    return need;
  }

  /**
   * Returns the members.
   *
   * @return in the order in which they were added
   */
  public List<Member> all() {
    return members;
  }

  /**
   * Makes the URI of the whole.
   *
   * @param uris the members' URIs, in their order
   * @return the URI, which may carry passwords
   */
  public String uri(List<String> uris) {
    return joiner.apply(uris);
  }
}
