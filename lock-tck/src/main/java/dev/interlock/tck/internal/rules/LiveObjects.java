package dev.interlock.tck.internal.rules;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * How many objects of each class a JVM cannot collect, to compare before and after. Empty where the
 * JVM does not tell.
 */
record LiveObjects(Map<String, Long> byClass) implements Serializable {
  private static final Pattern LINE = Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(\\S+)");

  /** Collects what can be collected, and counts the rest. */
  static LiveObjects now() {
    Map<String, Long> counted = new HashMap<>();
    Matcher lines = LINE.matcher(histogram());
    while (lines.find()) {
      counted.merge(lines.group(2), Long.parseLong(lines.group(1)), Long::sum);
    }
    return new LiveObjects(counted);
  }

  private static String histogram() {
    try {
      // Every HotSpot has it, also without the jdk.jcmd module.
      return (String) ManagementFactory.getPlatformMBeanServer()
          .invoke(
              ObjectName.getInstance("com.sun.management:type=DiagnosticCommand"),
              "gcClassHistogram",
              new Object[] {new String[0]},
              new String[] {String[].class.getName()});
    } catch (JMException e) {
      return "";
    }
  }

  /**
   * Names the classes of which there are so many more afterwards. Compared in another JVM than that
   * which is counted, where this would be among what is kept.
   */
  List<String> grownBy(long least, LiveObjects afterwards) {
    List<String> grown = new ArrayList<>();
    if (!byClass.isEmpty()) {
      afterwards.byClass().forEach((name, count) -> {
        long more = count - byClass.getOrDefault(name, 0L);
        if (more >= least) {
          grown.add(more + " objects " + name);
        }
      });
    }
    return grown;
  }
}
