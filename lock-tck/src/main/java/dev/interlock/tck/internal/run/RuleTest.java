package dev.interlock.tck.internal.run;

import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.Rules;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A test method and the rule that it names. */
record RuleTest(Rule rule, Method method) {

  /** Finds the tests of each rule, in the order of SPEC.md. */
  static Map<RuleInfo, List<RuleTest>> catalogue(List<Class<?>> classes) {
    Map<String, List<RuleTest>> byId = new LinkedHashMap<>();
    for (Class<?> type : classes) {
      for (RuleTest test : in(type)) {
        byId.computeIfAbsent(test.rule().value(), id -> new ArrayList<>()).add(test);
      }
    }
    Map<RuleInfo, List<RuleTest>> catalogue = new LinkedHashMap<>();
    for (RuleInfo info : Rules.all()) {
      List<RuleTest> tests = byId.remove(info.id());
      if ((tests == null) == info.isTested()) {
        throw new IllegalStateException(
            "SPEC.md says of " + info.id() + " \"" + info.test() + "\", its tests are " + tests);
      }
      if (tests != null) {
        catalogue.put(info, tests);
      }
    }
    if (!byId.isEmpty()) {
      throw new IllegalStateException("tests name rules that SPEC.md does not have: " + byId);
    }
    return catalogue;
  }

  void run(RuleRun run) throws Throwable {
    try {
      method.invoke(null, run);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static List<RuleTest> in(Class<?> type) {
    List<RuleTest> tests = new ArrayList<>();
    for (Method method : type.getDeclaredMethods()) {
      Rule rule = method.getAnnotation(Rule.class);
      if (rule != null) {
        if (!Modifier.isStatic(method.getModifiers()) || !Modifier.isPublic(type.getModifiers())) {
          throw new IllegalStateException(method + " must be static, in a public class");
        }
        tests.add(new RuleTest(rule, method));
      }
    }
    // Reflection gives them in no order.
    tests.sort(Comparator.comparing(test -> test.method().getName()));
    return tests;
  }
}
