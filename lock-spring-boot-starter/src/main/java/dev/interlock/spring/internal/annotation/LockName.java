package dev.interlock.spring.internal.annotation;

import dev.interlock.LockConfigurationException;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;

/** The name of a method's lock: fixed text and expressions, which are checked when it is made. */
final class LockName {
  private final String template;
  private final List<Expression> parts;
  private final MethodExpressions expressions;

  private LockName(String template, List<Expression> parts, MethodExpressions expressions) {
    this.template = template;
    this.parts = parts;
    this.expressions = expressions;
  }

  /**
   * Reads a template.
   *
   * @throws LockConfigurationException if it cannot be parsed, or names a variable or a bean that
   *     is not there
   */
  static LockName parse(Method method, String template, BeanFactory beans) {
    MethodExpressions expressions = new MethodExpressions(method, "\"" + template + "\"", beans);
    Expression whole = expressions.parse(template, new TemplateParserContext("#{", "}"));
    List<Expression> parts = whole instanceof CompositeStringExpression composite
        ? List.of(composite.getExpressions())
        : List.of(whole);
    parts.forEach(expressions::check);
    return new LockName(template, parts, expressions);
  }

  boolean isFixed() {
    return parts.size() == 1 && parts.get(0) instanceof LiteralExpression;
  }

  MethodExpressions expressions() {
    return expressions;
  }

  /** What it was written as; the same for all calls. */
  String template() {
    return template;
  }

  /**
   * Returns the name for one call.
   *
   * @throws LockConfigurationException if an expression fails or is null, which would make one lock
   *     of many
   */
  String of(@Nullable Object target, @Nullable Object[] arguments) {
    if (parts.size() == 1 && parts.get(0) instanceof LiteralExpression literal) {
      return literal.getExpressionString();
    }
    EvaluationContext context = expressions.context(target, arguments);
    StringBuilder text = new StringBuilder();
    for (Expression part : parts) {
      text.append(
          part instanceof LiteralExpression literal
              ? literal.getExpressionString()
              : expressions.evaluate(part, context, String.class));
    }
    return text.toString();
  }
}
