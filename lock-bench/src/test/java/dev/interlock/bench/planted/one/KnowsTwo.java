package dev.interlock.bench.planted.one;

import dev.interlock.bench.planted.two.KnowsOne;

public record KnowsTwo(KnowsOne two) {}
