package dev.interlock.compare.planted.sql.support;

import tools.jackson.databind.JsonNode;

/** What the SQL providers share, with a library that they would all get. */
interface UsesALibrary {
  JsonNode json();
}
