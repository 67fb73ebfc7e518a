package dev.interlock.compare.planted.spi;

import tools.jackson.databind.JsonNode;

/** The API with a library. */
interface UsesALibrary {
  JsonNode json();
}
