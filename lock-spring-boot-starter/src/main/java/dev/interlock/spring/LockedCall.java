package dev.interlock.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a {@link Locked} method, as the strategies of an application see it. Immutable, but
 * for what the arguments are.
 *
 * @param method as its class declares it, with the annotation
 * @param type the class of the bean; of one that has only an interface, such as a repository, the
 *     interface with the method
 * @param arguments those of the call; of a suspend function of Kotlin the last one is its
 *     continuation
 */
public record LockedCall(Method method, Class<?> type, List<@Nullable Object> arguments) {}
