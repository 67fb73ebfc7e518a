package dev.interlock.spring;

import dev.interlock.LockConfigurationException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** The name of a method's lock: fixed text and expressions, which are checked when it is made. */
final class LockName {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final Method method;
  private final String template;
  private final List<Expression> parts;
  private final BeanFactory beans;

  /** What evaluations share: found accessors and converters, which are costly to make anew. */
  private final StandardEvaluationContext shared = new StandardEvaluationContext();

  private LockName(Method method, String template, List<Expression> parts, BeanFactory beans) {
    this.method = method;
    this.template = template;
    this.parts = parts;
    this.beans = beans;
    this.shared.setBeanResolver(new BeanFactoryResolver(beans));
  }

  /**
   * Reads a template.
   *
   * @throws LockConfigurationException if it cannot be parsed, or names a variable or a bean that
   *     is not there
   */
  static LockName parse(Method method, String template, BeanFactory beans) {
    Expression whole;
    try {
      whole = PARSER.parseExpression(template, new TemplateParserContext("#{", "}"));
    } catch (ParseException e) {
      throw fault(method, template, "cannot be parsed: " + e.getMessage(), e);
    }
    List<Expression> parts = whole instanceof CompositeStringExpression composite
        ? List.of(composite.getExpressions())
        : List.of(whole);
    LockName name = new LockName(method, template, parts, beans);
    for (Expression part : parts) {
      if (part instanceof SpelExpression expression) {
        name.check(expression.getAST());
      }
    }
    return name;
  }

  private void check(SpelNode node) {
    String text = node.toStringAST().substring(Math.min(1, node.toStringAST().length()));
    if (node instanceof VariableReference && !variables().contains(text)) {
      throw fault(
          method,
          template,
          "there is no variable #%s; there are %s".formatted(text, variables()),
          null);
    }
    if (node instanceof BeanReference && !beans.containsBean(text.replace("'", ""))) {
      throw fault(method, template, "there is no bean '%s'".formatted(text), null);
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      check(node.getChild(i));
    }
  }

  private Set<String> variables() {
    Set<String> variables = new TreeSet<>(List.of("root", "this"));
    for (int i = 0; i < method.getParameterCount(); i++) {
      variables.add("a" + i);
      variables.add("p" + i);
    }
    @Nullable String @Nullable [] names = NAMES.getParameterNames(method);
    if (names != null) {
      for (String name : names) {
        if (name != null) {
          variables.add(name);
        }
      }
    }
    return variables;
  }

  /** What it was written as; the same for all calls. */
  String template() {
    return template;
  }

  /**
   * Returns the name for one call.
   *
   * @throws LockConfigurationException if an expression fails or is null
   */
  @SuppressWarnings("NullAway") // Spring allows arguments that are null, and does not say so
  String of(@Nullable Object target, @Nullable Object[] arguments) {
    if (parts.size() == 1 && parts.get(0) instanceof LiteralExpression literal) {
      return literal.getExpressionString();
    }
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method, arguments, NAMES);
    shared.applyDelegatesTo(context);
    StringBuilder text = new StringBuilder();
    for (Expression part : parts) {
      text.append(evaluate(part, context));
    }
    return text.toString();
  }

  /** A part that is null would make one lock of many. */
  private String evaluate(Expression part, MethodBasedEvaluationContext context) {
    if (part instanceof LiteralExpression literal) {
      return literal.getExpressionString();
    }
    String text;
    try {
      text = part.getValue(context, String.class);
    } catch (ExpressionException e) {
      throw fault(
          method,
          template,
          "#{%s} failed: %s".formatted(part.getExpressionString(), e.getMessage()),
          e);
    }
    if (text == null) {
      throw fault(method, template, "#{%s} is null".formatted(part.getExpressionString()), null);
    }
    return text;
  }

  private static LockConfigurationException fault(
      Method method, String template, String what, @Nullable Exception cause) {
    return new LockConfigurationException(
        "@Locked(\"%s\") on %s: %s".formatted(template, LockedMethods.describe(method), what),
        cause);
  }
}
