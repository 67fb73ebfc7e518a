package dev.interlock.spring.test;

import dev.interlock.LockListener;
import dev.interlock.spring.LockFailureStrategy;
import dev.interlock.spring.LockNaming;
import java.util.List;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the components that a {@link LockTest} is not about. */
final class LockTypeExcludeFilter
    extends StandardAnnotationCustomizableTypeExcludeFilter<LockTest> {
  private final Set<Class<?>> components;

  LockTypeExcludeFilter(Class<?> test) {
    super(test);
    this.components = Set.copyOf(List.of(getAnnotation().getClassArray("components")));
  }

  @Override
  protected Set<Class<?>> getKnownIncludes() {
    return Set.of(LockNaming.class, LockFailureStrategy.class, LockListener.class);
  }

  @Override
  protected Set<Class<?>> getComponentIncludes() {
    return components;
  }
}
