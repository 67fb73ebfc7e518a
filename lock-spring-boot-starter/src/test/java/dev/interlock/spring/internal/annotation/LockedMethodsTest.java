package dev.interlock.spring.internal.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spring.LockNaming;
import dev.interlock.spring.Locked;
import dev.interlock.spring.LockedCall;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** What is asked for while an annotation is read. */
@Timeout(60)
class LockedMethodsTest {

  static class Orders {
    @Locked
    public void ship() {}
  }

  /** The beans that a naming needs pass the locks' pointcut when they are made. */
  @Test
  void beans_that_are_made_for_the_naming_of_a_method_are_looked_at_meanwhile() throws Exception {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    LockedMethods methods = new LockedMethods(beans);
    Method[] others = Arrays.copyOf(String.class.getMethods(), 50);
    beans.registerBeanDefinition(
        "naming",
        BeanDefinitionBuilder.genericBeanDefinition(LockNaming.class, () -> {
              for (Method other : others) {
                assertThat(methods.find(other, String.class)).isNull();
              }
              return new Named();
            })
            .getBeanDefinition());
    LockedMethod found = methods.find(Orders.class.getMethod("ship"), Orders.class);
    assertThat(found).isNotNull();
    assertThat(found.template()).isEqualTo("ship");
  }

  private static final class Named implements LockNaming {
    @Override
    public String name(LockedCall call, String name) {
      return name;
    }

    @Override
    public String unnamed(Method method) {
      return method.getName();
    }
  }
}
