package dev.interlock.tck.internal.worker;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * A Java agent that gives every class outside the JDK a wall clock which is wrong. No root and no
 * library of the operating system is needed, and {@link System#nanoTime()} stays right, as it does
 * when a clock is set.
 */
public final class SkewAgent {
  private SkewAgent() {}

  /** Called by the JVM before main; the argument is the offset in ISO 8601. */
  public static void premain(String offset, Instrumentation instrumentation) {
    SkewedClock.setOffset(Duration.parse(offset));
    instrumentation.addTransformer(new Transformer());
    SkewedClock.install();
  }

  /** Returns the JVM argument that moves the wall clock of a worker by this much. */
  public static String argument(Duration offset) {
    return "-javaagent:" + jar() + "=" + offset;
  }

  /** The agent's class is on the worker's class path already; the JVM wants a jar to name it. */
  private static Path jar() {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(new Attributes.Name("Premain-Class"), SkewAgent.class.getName());
    try {
      Path jar = Files.createTempFile("interlock-tck-", ".jar");
      jar.toFile().deleteOnExit();
      try (OutputStream out = Files.newOutputStream(jar);
          JarOutputStream entries = new JarOutputStream(out, manifest)) {
        entries.finish();
      }
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("the agent's jar cannot be written", e);
    }
  }

  private static final class Transformer implements ClassFileTransformer {
    @Override
    public byte @Nullable [] transform(
        @Nullable ClassLoader loader,
        String className,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] classFile) {
      boolean jdk = loader == null || loader == ClassLoader.getPlatformClassLoader();
      boolean ours = className.startsWith("dev/interlock/tck/internal/worker/");
      return jdk || ours ? null : ClockRewriter.rewrite(classFile);
    }
  }
}
