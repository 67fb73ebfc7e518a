package dev.interlock.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Starts the contexts of {@link LockTest}. */
final class LockTestContextBootstrapper extends TestSliceTestContextBootstrapper<LockTest> {}
