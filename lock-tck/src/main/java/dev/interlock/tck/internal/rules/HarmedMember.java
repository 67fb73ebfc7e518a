package dev.interlock.tck.internal.rules;

import dev.interlock.tck.internal.run.MemberLinks;
import java.util.ArrayList;
import java.util.List;

/**
 * A member of a backend that is made of several servers, and what is done to a client's way to it.
 *
 * @param member from 0
 */
record HarmedMember(int member, Harm harm) {

  private enum Harm {
    CUT_OFF("is cut off from"),
    SILENT("hears nothing of");

    private final String words;

    Harm(String words) {
      this.words = words;
    }
  }

  /** Each member harmed in each way. */
  static List<HarmedMember> each(int members) {
    List<HarmedMember> each = new ArrayList<>();
    for (int member = 0; member < members; member++) {
      for (Harm harm : Harm.values()) {
        each.add(new HarmedMember(member, harm));
      }
    }
    return each;
  }

  /** Does the same to the way to any member. */
  void to(MemberLinks links, int any) {
    if (harm == Harm.CUT_OFF) {
      links.cutOff(any);
    } else {
      links.silence(any);
    }
  }

  /** Whether what is asked of the member arrives there. */
  boolean isAsked() {
    return harm == Harm.SILENT;
  }

  /** What the client does, as "a client ... member 1". */
  String words() {
    return harm.words;
  }
}
