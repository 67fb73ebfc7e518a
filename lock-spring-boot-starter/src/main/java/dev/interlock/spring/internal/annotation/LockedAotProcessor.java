package dev.interlock.spring.internal.annotation;

import dev.interlock.spring.Locked;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Tells a native image what the {@link Locked} methods of a bean reflect on: the method itself and
 * its fallback, and for expressions the bean, the arguments with their properties, and the beans
 * that are asked. Wrong annotations end the build.
 */
final class LockedAotProcessor implements BeanRegistrationAotProcessor {

  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
    if (!AnnotationUtils.isCandidateClass(type, Locked.class)) {
      return null;
    }
    ConfigurableListableBeanFactory beans = bean.getBeanFactory();
    LockedMethods methods = new LockedMethods(beans);
    MetadataLookup<LockedMethod> lookup = method -> methods.find(method, type);
    Map<Method, LockedMethod> locked = MethodIntrospector.selectMethods(type, lookup);
    return locked.isEmpty() ? null : new Contribution(type, locked.values(), beans);
  }

  private record Contribution(
      Class<?> type, Collection<LockedMethod> methods, ConfigurableListableBeanFactory beans)
      implements BeanRegistrationAotContribution {

    @Override
    public void applyTo(GenerationContext generation, BeanRegistrationCode code) {
      ReflectionHints hints = generation.getRuntimeHints().reflection();
      for (LockedMethod locked : methods) {
        hints.registerMethod(locked.method(), ExecutableMode.INVOKE);
        Method fallback = locked.fallback();
        if (fallback != null) {
          hints.registerMethod(fallback, ExecutableMode.INVOKE);
        }
        for (MethodExpressions expressions : locked.expressions()) {
          callable(hints, type);
          for (Type argument : locked.method().getGenericParameterTypes()) {
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints, argument);
          }
          for (Class<?> argument : locked.method().getParameterTypes()) {
            callable(hints, argument);
          }
          for (String name : expressions.referencedBeans()) {
            Class<?> asked = beans.getType(name);
            if (asked != null) {
              callable(hints, ClassUtils.getUserClass(asked));
            }
          }
        }
      }
    }

    private static void callable(ReflectionHints hints, Class<?> type) {
      if (!type.isPrimitive()) {
        hints.registerType(
            type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
      }
    }
  }
}
