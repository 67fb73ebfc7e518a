package dev.interlock.spring.internal.annotation;

import dev.interlock.LockConfigurationException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.Expression;

/** Whether a call of a method needs its lock: an expression, which is checked when it is made. */
final class LockCondition {
  private final Expression expression;
  private final MethodExpressions expressions;

  private LockCondition(Expression expression, MethodExpressions expressions) {
    this.expression = expression;
    this.expressions = expressions;
  }

  /**
   * Reads an expression.
   *
   * @throws LockConfigurationException if it cannot be parsed, or names a variable or a bean that
   *     is not there
   */
  static LockCondition parse(Method method, String text, BeanFactory beans) {
    MethodExpressions expressions =
        new MethodExpressions(method, "condition = \"" + text + "\"", beans);
    Expression expression = expressions.parse(text, null);
    expressions.check(expression);
    return new LockCondition(expression, expressions);
  }

  MethodExpressions expressions() {
    return expressions;
  }

  /**
   * Tells for one call.
   *
   * @throws LockConfigurationException if the expression fails, or is neither true nor false
   */
  boolean holds(@Nullable Object target, @Nullable Object[] arguments) {
    return expressions.evaluate(expression, expressions.context(target, arguments), Boolean.class);
  }
}
