package dev.interlock.compare.planted.local;

import tools.jackson.databind.JsonNode;

/** A provider with what is not its client. */
interface UsesALibrary {
  JsonNode json();
}
