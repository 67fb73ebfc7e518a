package dev.interlock.spring.internal.annotation;

import dev.interlock.spring.Limited;
import dev.interlock.spring.Locked;
import dev.interlock.spring.LockedJob;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The annotation of a method or a class that asks for a lock: {@link Locked}, {@link LockedJob},
 * {@link Limited}, or one that an application made of these.
 *
 * @param locked what it says in the terms of {@link Locked}
 * @param limited what it says beyond them, of a semaphore
 * @param label what messages call it
 * @param second the label of another one that stands beside it, which is a fault
 */
public record LockAnnotation(
    Locked locked,
    @Nullable Limited limited,
    String label,
    @Nullable String second) {
  private static final String PLAIN = label(Locked.class);

  /** The one that stands nearest: on the element itself, else on what it overrides or extends. */
  static @Nullable LockAnnotation on(AnnotatedElement element) {
    if (!AnnotatedElementUtils.hasAnnotation(element, Locked.class)) {
      return null;
    }
    MergedAnnotations all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
    List<MergedAnnotation<Locked>> found = all.stream(Locked.class).toList();
    int nearest =
        found.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElseThrow();
    List<MergedAnnotation<Locked>> own = found.stream()
        .filter(annotation -> annotation.getAggregateIndex() == nearest)
        .toList();
    // What is more than the plain one gives the message its name.
    MergedAnnotation<Locked> first = own.stream()
        .filter(annotation -> !label(annotation).equals(PLAIN))
        .findFirst()
        .orElse(own.get(0));
    Optional<String> second = own.stream()
        .filter(annotation -> annotation != first)
        .map(LockAnnotation::label)
        .findFirst();
    return new LockAnnotation(
        first.synthesize(),
        all.stream(Limited.class)
            .filter(annotation -> annotation.getAggregateIndex() == nearest)
            .findFirst()
            .map(MergedAnnotation::synthesize)
            .orElse(null),
        label(first),
        second.orElse(null));
  }

  boolean isJob() {
    return label.equals(label(LockedJob.class));
  }

  /** What messages call the annotation that locks a method, which may be its class's. */
  public static String labelOf(Method method) {
    LockAnnotation own = on(method);
    LockAnnotation found = own == null ? on(method.getDeclaringClass()) : own;
    return found == null ? PLAIN : found.label();
  }

  private static String label(MergedAnnotation<Locked> annotation) {
    List<Class<? extends Annotation>> types = annotation.getMetaTypes();
    if (types.contains(Limited.class)) {
      return label(Limited.class);
    }
    return types.contains(LockedJob.class) ? label(LockedJob.class) : PLAIN;
  }

  private static String label(Class<?> type) {
    return "@" + type.getSimpleName();
  }
}
