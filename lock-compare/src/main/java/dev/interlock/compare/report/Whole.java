package dev.interlock.compare.report;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks for what a record that was read lacks, though its type says that it is never null. A reader
 * of JSON leaves null where a field is missing.
 */
final class Whole {
  private Whole() {}

  /**
   * Requires that nothing is missing, in the record and in those that it has.
   *
   * @throws IllegalArgumentException if something is; its message is the path to it
   */
  static void require(Record read) {
    require(read, "");
  }

  private static void require(Record read, String at) {
    for (RecordComponent component : read.getClass().getRecordComponents()) {
      String name = at.isEmpty() ? component.getName() : at + "." + component.getName();
      require(value(read, component), component.getAnnotatedType(), name);
    }
  }

  private static void require(@Nullable Object value, AnnotatedType type, String at) {
    if (value == null) {
      if (!type.isAnnotationPresent(Nullable.class)) {
        throw new IllegalArgumentException(at);
      }
    } else if (value instanceof Record inner) {
      require(inner, at);
    } else if (value instanceof Collection<?> values) {
      values.forEach(each -> require(each, parameter(type, 0), at));
    } else if (value instanceof Map<?, ?> values) {
      values.values().forEach(each -> require(each, parameter(type, 1), at));
    }
  }

  private static AnnotatedType parameter(AnnotatedType type, int index) {
    return ((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments()[index];
  }

  private static @Nullable Object value(Record read, RecordComponent component) {
    try {
      return component.getAccessor().invoke(read);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the accessor of " + component + " cannot be called", e);
    }
  }
}
