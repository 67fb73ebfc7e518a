package dev.interlock.compare.planted.local;

import dev.interlock.compare.planted.spring.KnowsABackend;

/** A provider that would bring Spring to an application that has none. */
interface KnowsTheStarter {
  KnowsABackend spring();
}
