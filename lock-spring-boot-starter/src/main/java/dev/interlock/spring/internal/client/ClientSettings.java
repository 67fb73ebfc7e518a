package dev.interlock.spring.internal.client;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the properties of an application say of one client. See {@code interlock.*} and
 * {@code interlock.clients.*}.
 */
public record ClientSettings(
    @Nullable String uri,
    @Nullable String provider,
    @Nullable String bean,
    @Nullable Duration lease,
    @Nullable String namespace,
    Map<String, String> options) {}
