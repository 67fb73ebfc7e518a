package dev.interlock.spring.internal.annotation;

import dev.interlock.LockConfigurationException;
import java.lang.reflect.Method;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/** The expressions in one attribute of a method's annotation, which are checked at start. */
final class MethodExpressions {
  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
  private static final TypeConverter CONVERTER = converter();

  private final Method method;
  private final String written;
  private final BeanFactory beans;

  private final Set<String> referencedBeans = new TreeSet<>();

  /** What evaluations share: found accessors and converters, which are costly to make anew. */
  private final StandardEvaluationContext shared = new StandardEvaluationContext();

  /**
   * Creates them.
   *
   * @param written the annotation's attribute, as faults quote it
   */
  MethodExpressions(Method method, String written, BeanFactory beans) {
    this.method = method;
    this.written = written;
    this.beans = beans;
    this.shared.setBeanResolver(new BeanFactoryResolver(beans));
    this.shared.setTypeConverter(CONVERTER);
  }

  /** As Spring's own, and knows dates and times, whose texts are the same in each JVM. */
  private static TypeConverter converter() {
    DefaultConversionService conversions = new DefaultConversionService();
    conversions.addConverter(TemporalAccessor.class, String.class, Object::toString);
    conversions.addConverter(TemporalAmount.class, String.class, Object::toString);
    return new StandardTypeConverter(conversions);
  }

  /**
   * Parses a text.
   *
   * @throws LockConfigurationException if it cannot be parsed
   */
  Expression parse(String text, @Nullable ParserContext context) {
    try {
      return context == null ? PARSER.parseExpression(text) : PARSER.parseExpression(text, context);
    } catch (ParseException e) {
      throw fault("cannot be parsed: " + e.getMessage(), e);
    }
  }

  /**
   * Looks for what cannot be evaluated.
   *
   * @throws LockConfigurationException if it names a variable or a bean that is not there, or
   *     assigns
   */
  void check(Expression expression) {
    if (expression instanceof SpelExpression spel) {
      check(spel.getAST());
    }
  }

  private void check(SpelNode node) {
    String text = node.toStringAST().substring(Math.min(1, node.toStringAST().length()));
    if (node instanceof VariableReference && !variables().contains(text)) {
      throw fault("there is no variable #%s; there are %s".formatted(text, variables()), null);
    }
    if (node instanceof BeanReference) {
      String bean = text.replace("'", "");
      if (!beans.containsBean(bean)) {
        throw fault("there is no bean '%s'".formatted(text), null);
      }
      referencedBeans.add(bean);
    }
    if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
      throw fault("%s changes something: compare with ==".formatted(node.toStringAST()), null);
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      check(node.getChild(i));
    }
  }

  /** The names of the beans that they ask. */
  Set<String> referencedBeans() {
    return referencedBeans;
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

  /** What the expressions see of one call. */
  @SuppressWarnings("NullAway") // Spring allows arguments that are null, and does not say so
  EvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method, arguments, NAMES);
    shared.applyDelegatesTo(context);
    return context;
  }

  /**
   * Evaluates an expression.
   *
   * @throws LockConfigurationException if it fails or is null
   */
  <T> T evaluate(Expression expression, EvaluationContext context, Class<T> type) {
    T value;
    try {
      value = expression.getValue(context, type);
    } catch (ExpressionException e) {
      throw fault(
          "#{%s} failed: %s".formatted(expression.getExpressionString(), e.getMessage()), e);
    }
    if (value == null) {
      throw fault("#{%s} is null".formatted(expression.getExpressionString()), null);
    }
    return value;
  }

  private LockConfigurationException fault(String what, @Nullable Exception cause) {
    return new LockConfigurationException(
        "%s(%s) on %s: %s"
            .formatted(
                LockAnnotation.labelOf(method), written, LockedMethods.describe(method), what),
        cause);
  }
}
