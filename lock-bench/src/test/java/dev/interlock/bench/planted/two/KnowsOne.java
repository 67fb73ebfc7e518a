package dev.interlock.bench.planted.two;

import dev.interlock.bench.planted.one.KnowsTwo;

public record KnowsOne(KnowsTwo one) {}
