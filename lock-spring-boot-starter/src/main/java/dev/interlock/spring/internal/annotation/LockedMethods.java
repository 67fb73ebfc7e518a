package dev.interlock.spring.internal.annotation;

import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.spring.Limited;
import dev.interlock.spring.LockMode;
import dev.interlock.spring.LockNaming;
import dev.interlock.spring.LockScope;
import dev.interlock.spring.Locked;
import dev.interlock.spring.OnBusy;
import dev.interlock.spring.internal.client.ClientNames;
import dev.interlock.spring.internal.lease.Ending;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Reads {@link LockAnnotation}s, once for each method, and refuses those that are wrong. */
public final class LockedMethods {
  private static final String ONE_RUN =
      "For one run in each period use @LockedJob with an atLeast that is shorter than the period";

  private final ConfigurableListableBeanFactory beans;
  private final ConcurrentHashMap<MethodClassKey, Optional<LockedMethod>> read =
      new ConcurrentHashMap<>();

  public LockedMethods(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Looks whether a method is to be locked.
   *
   * @throws LockConfigurationException if its annotation is wrong
   */
  public @Nullable LockedMethod find(Method method, Class<?> targetClass) {
    MethodClassKey key = new MethodClassKey(method, targetClass);
    Optional<LockedMethod> known = read.get(key);
    if (known == null) {
      // Not within the map: beans that are made for a LockNaming come here meanwhile.
      Optional<LockedMethod> made = read(method, targetClass);
      Optional<LockedMethod> other = read.putIfAbsent(key, made);
      known = other == null ? made : other;
    }
    return known.orElse(null);
  }

  /** Those that were read so far. */
  public Stream<LockedMethod> known() {
    return read.values().stream().flatMap(Optional::stream).distinct();
  }

  private Optional<LockedMethod> read(Method called, Class<?> targetClass) {
    Method method = written(called, targetClass);
    if (ReflectionUtils.isObjectMethod(method) || method.isSynthetic()) {
      return Optional.empty();
    }
    LockAnnotation own = LockAnnotation.on(method);
    if (own != null) {
      requireProxyable(own, method);
      requireSamePackage(own, method, targetClass);
      return Optional.of(read(own, method, targetClass));
    }
    LockAnnotation ofClass = LockAnnotation.on(targetClass);
    if (ofClass == null || Modifier.isStatic(method.getModifiers())) {
      return Optional.empty();
    }
    if (!Modifier.isPublic(method.getModifiers())) {
      requireNoJob(ofClass, method);
      return Optional.empty();
    }
    if (AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Locked.class)) {
      requireProxyable(ofClass, method);
    } else if (Modifier.isFinal(method.getModifiers())) {
      // Of a superclass without the annotation: no fault, for it may be a setter of a framework's.
      Ending.LOG.log(
          Level.WARNING,
          "{0} on {1} does not lock {2}: a proxy does not see a method that is final",
          ofClass.label(),
          targetClass.getSimpleName(),
          describe(method));
      return Optional.empty();
    }
    return Optional.of(read(ofClass, method, targetClass));
  }

  /**
   * Whether a class was made at run time of an interface that the application wrote: such as that
   * of a repository, of a client for HTTP, or of a lambda. It has another name in each JVM.
   */
  public static boolean isMadeOfInterface(Class<?> type) {
    return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
  }

  /** The method as the application wrote it: not final, and with the names of its parameters. */
  private static Method written(Method called, Class<?> targetClass) {
    return isMadeOfInterface(targetClass)
        ? ClassUtils.getInterfaceMethodIfPossible(called, targetClass)
        : AopUtils.getMostSpecificMethod(called, ClassUtils.getUserClass(targetClass));
  }

  private static void requireProxyable(LockAnnotation annotation, Method method) {
    int hidden = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;
    if ((method.getModifiers() & hidden) != 0) {
      throw new LockConfigurationException(
          "%s on %s: a proxy does not see a method that is private, static or final"
              .formatted(annotation.label(), describe(method)));
    }
  }

  private static void requireSamePackage(
      LockAnnotation annotation, Method method, Class<?> targetClass) {
    int everywhere = Modifier.PUBLIC | Modifier.PROTECTED;
    if ((method.getModifiers() & everywhere) == 0
        && !method.getDeclaringClass().getPackage().equals(targetClass.getPackage())) {
      throw new LockConfigurationException(
          "%s on %s: a proxy in another package does not see it, and %s is in %s: make it protected"
              .formatted(
                  annotation.label(),
                  describe(method),
                  targetClass.getSimpleName(),
                  targetClass.getPackageName()));
    }
  }

  /** The scheduler calls it whether it is public or not: it would run on all instances at once. */
  private static void requireNoJob(LockAnnotation ofClass, Method method) {
    if (isScheduled(method)) {
      throw new LockConfigurationException(
          "%s on the class does not lock %s, which is @Scheduled but not public: make it public, or annotate it"
              .formatted(ofClass.label(), describe(method)));
    }
  }

  private LockedMethod read(LockAnnotation annotation, Method method, Class<?> targetClass) {
    List<String> faults = new ArrayList<>();
    Locked locked = annotation.locked();
    if (annotation.second() != null) {
      faults.add("it is also %s: keep one of them".formatted(annotation.second()));
    }
    List<String> templates = templates(locked, method, faults);
    String client = client(locked, faults);
    String condition = resolve(locked.condition()).trim();
    Optional<Duration> waitFor = duration("waitFor", locked.waitFor(), faults);
    Optional<Duration> lease = duration("lease", locked.lease(), faults);
    Optional<Duration> atLeast = duration("atLeast", locked.atLeast(), faults);
    lease.ifPresent(given -> requireLease("lease", given, faults));
    atLeast.ifPresent(given -> requireLease("atLeast", given, faults));
    waitFor.filter(Duration::isNegative).ifPresent(given -> faults.add("waitFor is negative"));
    LockPart part = part(annotation, faults);
    checkRelease(locked, !resolve(locked.atLeast()).isBlank(), faults);
    if (!locked.autoRelease() && !part.isExclusive()) {
      faults.add("autoRelease=false goes with mode=WRITE only, or several would run the job");
    }
    if (atLeast.isPresent() && lease.isPresent() && lease.get().compareTo(atLeast.get()) < 0) {
      faults.add("%s is shorter than atLeast".formatted(annotation.isJob() ? "atMost" : "lease"));
    }
    if (part.isExclusive()) {
      checkSchedule(locked, method, faults);
    }
    LockedMethod.Kind kind = LockedResults.kind(method, locked.onBusy() == OnBusy.SKIP, faults);
    if (templates.size() > 1) {
      checkSeveral(locked, method, kind, faults);
    }
    Method fallback = fallback(locked, method, targetClass, faults);
    if (!faults.isEmpty()) {
      throw new LockConfigurationException("%s on %s: %s"
          .formatted(annotation.label(), describe(method), String.join("; ", faults)));
    }
    return new LockedMethod(
        method,
        client,
        templates.stream()
            .map(template -> LockName.parse(method, template, beans))
            .toList(),
        part,
        condition.isEmpty() ? null : LockCondition.parse(method, condition, beans),
        waitFor,
        atLeast.or(() -> lease),
        atLeast,
        atLeast.isPresent() ? lease : Optional.empty(),
        locked.scope(),
        locked.onBusy(),
        fallback,
        locked.whenUnavailable(),
        locked.onLost(),
        locked.fair(),
        kind);
  }

  private LockPart part(LockAnnotation annotation, List<String> faults) {
    Limited limited = annotation.limited();
    LockPart otherwise = LockPart.of(annotation.locked().mode());
    if (limited == null) {
      return otherwise;
    }
    String written = resolve(limited.permitsString()).trim();
    if (written.isEmpty() == (limited.permits() == 0)) {
      faults.add("it needs permits, or permitsString, but not both");
      return otherwise;
    }
    try {
      int size = written.isEmpty() ? limited.permits() : Integer.parseInt(written);
      return LockPart.permits(limited.take(), size);
    } catch (NumberFormatException e) {
      faults.add("permitsString is '%s': expected a number".formatted(written));
    } catch (IllegalArgumentException e) {
      faults.add(String.valueOf(e.getMessage()));
    }
    return otherwise;
  }

  private static void checkRelease(Locked locked, boolean atLeast, List<String> faults) {
    if (locked.autoRelease() == atLeast) {
      faults.add("autoRelease=false and atLeast need each other");
    }
    if (!locked.autoRelease() && locked.scope() == LockScope.APPLICATION) {
      faults.add("autoRelease=false does not go with scope=APPLICATION, which would re-enter");
    }
    if (locked.mode() == LockMode.READ && locked.scope() == LockScope.APPLICATION) {
      faults.add("mode=READ does not go with scope=APPLICATION: it would wait for itself");
    }
    if (locked.onBusy() == OnBusy.FALLBACK == locked.fallback().isEmpty()) {
      faults.add("onBusy=FALLBACK and fallback need each other");
    }
  }

  private String client(Locked locked, List<String> faults) {
    String client = resolve(locked.client()).trim();
    if (!client.isEmpty()) {
      Set<String> known = ClientNames.beans(beans).keySet();
      if (!known.contains(client)) {
        faults.add("there is no client '%s'; there are %s".formatted(client, known));
      }
    }
    return client;
  }

  private List<String> templates(Locked locked, Method method, List<String> faults) {
    if (locked.names().length == 0) {
      String template = resolve(locked.name().isEmpty() ? unnamed(method) : locked.name());
      if (template.isEmpty()) {
        faults.add("it needs a name");
      }
      return List.of(template);
    }
    if (!locked.name().isEmpty()) {
      faults.add("it has name and names: keep one of them");
    }
    List<String> templates = Arrays.stream(locked.names()).map(this::resolve).toList();
    if (templates.contains("")) {
      faults.add("one of its names is empty");
    }
    return templates;
  }

  private String unnamed(Method method) {
    LockNaming naming = beans.getBeanProvider(LockNaming.class).getIfAvailable();
    return naming == null ? "" : naming.unnamed(method);
  }

  private static void checkSeveral(
      Locked locked, Method method, LockedMethod.Kind kind, List<String> faults) {
    if (!locked.autoRelease()) {
      faults.add("autoRelease=false goes with one name only");
    }
    if (kind == LockedMethod.Kind.REACTIVE
        || CompletionStage.class.isAssignableFrom(method.getReturnType())) {
      faults.add("several names need a method whose work has ended when it returns");
    }
  }

  /** A lock that is released with the job only puts the runs of the instances in a row. */
  private static void checkSchedule(Locked locked, Method method, List<String> faults) {
    if (!locked.autoRelease() || !isScheduled(method)) {
      return;
    }
    if (locked.onBusy() == OnBusy.FAIL) {
      faults.add("it is @Scheduled, so all instances run it, one after the other. " + ONE_RUN
          + "; for a run of each instance, call a @Locked method of another bean from the job");
    } else {
      Ending.LOG.log(
          Level.WARNING,
          "@Locked on {0} is @Scheduled: instances that call it after the end of another''s run"
              + " run it again. {1}",
          describe(method),
          ONE_RUN);
    }
  }

  private static boolean isScheduled(Method method) {
    return AnnotatedElementUtils.hasAnnotation(method, Scheduled.class)
        || AnnotatedElementUtils.hasAnnotation(method, Schedules.class);
  }

  private @Nullable Method fallback(
      Locked locked, Method method, Class<?> targetClass, List<String> faults) {
    if (locked.fallback().isEmpty()) {
      return null;
    }
    Class<?> type = isMadeOfInterface(targetClass)
        ? method.getDeclaringClass()
        : ClassUtils.getUserClass(targetClass);
    Method fallback =
        ReflectionUtils.findMethod(type, locked.fallback(), method.getParameterTypes());
    if (fallback == null) {
      faults.add("there is no method %s(%s)".formatted(locked.fallback(), parameters(method)));
    } else if (!ClassUtils.isAssignable(method.getReturnType(), fallback.getReturnType())) {
      faults.add("%s returns %s, not %s"
          .formatted(
              locked.fallback(),
              fallback.getReturnType().getSimpleName(),
              method.getReturnType().getSimpleName()));
    } else {
      ReflectionUtils.makeAccessible(fallback);
    }
    return fallback;
  }

  private Optional<Duration> duration(String attribute, String written, List<String> faults) {
    String text = resolve(written).trim();
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      Duration parsed = DurationStyle.detectAndParse(text);
      boolean hasUnit = Character.isLetter(text.charAt(text.length() - 1));
      if (hasUnit || parsed.isZero()) { // else Spring takes it for milliseconds, its writer not
        return Optional.of(parsed);
      }
    } catch (IllegalArgumentException e) {
      // No duration.
    }
    faults.add("%s is '%s': expected a duration such as 5s or PT5S".formatted(attribute, text));
    return Optional.empty();
  }

  private static void requireLease(String attribute, Duration given, List<String> faults) {
    try {
      LockRequest.requireLease(given);
    } catch (IllegalArgumentException e) {
      faults.add(attribute + ": " + e.getMessage());
    }
  }

  private String resolve(String text) {
    String resolved = beans.resolveEmbeddedValue(text);
    return resolved == null ? "" : resolved;
  }

  public static String describe(Method method) {
    return "%s.%s(%s)"
        .formatted(
            method.getDeclaringClass().getSimpleName(), method.getName(), parameters(method));
  }

  private static String parameters(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(", "));
  }
}
