package dev.interlock.compare;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What may depend on what. The rules are made for a root package, so that they can be tried on
 * planted violations under another root.
 *
 * @param root such as {@code dev.interlock}
 */
record Architecture(String root) {
  private static final String[] JDK = {"java..", "javax..", "jdk.."};

  /** Annotations only, not needed at run time. */
  private static final String JSPECIFY = "org.jspecify..";

  /** Jedis shows its pool's library in its own API. */
  private static final List<String> JEDIS =
      List.of("redis.clients..", "org.apache.commons.pool2..");

  /** What the Redis providers share; the second part only those on Jedis. */
  private static final String SHARED = "redis.support";

  private static final String SHARED_ON_JEDIS = "redis.support.jedis";

  /** What the SQL providers share. */
  private static final String SHARED_ON_SQL = "sql.support";

  private static final Set<String> ON_SQL = Set.of("mysql", "postgres");

  /** What each provider may use beside the JDK and the API; providers are the keys. */
  private static final Map<String, List<String>> CLIENTS = Map.of(
      "local",
      List.of(),
      "quorum",
      List.of(),
      SHARED,
      List.of(),
      SHARED_ON_JEDIS,
      JEDIS,
      SHARED_ON_SQL,
      List.of("org.apache.ibatis..", "com.zaxxer.hikari.."),
      "redis.setnx",
      JEDIS,
      "redis.watch",
      JEDIS,
      "redis.hash",
      List.of("io.lettuce..", "reactor..", "io.netty..", "org.reactivestreams.."),
      "mysql",
      List.of("org.apache.ibatis..", "com.zaxxer.hikari..", "com.mysql.."),
      "postgres",
      List.of("org.apache.ibatis..", "com.zaxxer.hikari..", "org.postgresql.."));

  /** The packages of the providers, and of what they share. */
  static Set<String> providers() {
    return CLIENTS.keySet();
  }

  /** The API, the SPI and the engine stand on nothing but the JDK. */
  ArchRule apiStandsAlone() {
    return noClasses()
        .that(resideInAnyPackage(api()))
        .should()
        .dependOnClassesThat(
            DescribedPredicate.not(resideInAnyPackage(join(api(), join(JDK, JSPECIFY)))))
        .because("an application that uses the API gets no other library with it");
  }

  /** A provider uses the API and its own client; those on Redis and on SQL also what they share. */
  List<ArchRule> providersUseTheApiAndTheirClientOnly() {
    return CLIENTS.keySet().stream().map(this::providerRule).toList();
  }

  private ArchRule providerRule(String provider) {
    // Not the packages below it: with them, all would get Jedis.
    String own = root + "." + provider + (provider.equals(SHARED) ? "" : "..");
    List<String> clients = CLIENTS.get(provider);
    String[] allowed =
        join(clients.toArray(String[]::new), join(JDK, root, root + ".spi", own, JSPECIFY));
    if (provider.startsWith("redis.")) {
      allowed = join(allowed, root + "." + SHARED);
    }
    if (ON_SQL.contains(provider)) {
      allowed = join(allowed, root + "." + SHARED_ON_SQL);
    }
    if (clients.equals(JEDIS)) {
      allowed = join(allowed, root + "." + SHARED_ON_JEDIS);
    }
    return noClasses()
        .that(resideInAnyPackage(own))
        .should()
        .dependOnClassesThat(DescribedPredicate.not(resideInAnyPackage(allowed)))
        .because("a provider stands on the API, its client, and what all on Redis or on SQL share")
        .allowEmptyShould(true);
  }

  /**
   * The starter opens clients over the application's connections, so it knows the entries of two
   * providers; nobody knows the starter.
   */
  ArchRule starterStandsOnTheApiAndTheEntries() {
    return noClasses()
        .that(resideInAnyPackage(root + ".spring.."))
        .should()
        .dependOnClassesThat(resideInAnyPackage(root + "..")
            .and(
                DescribedPredicate.not(resideInAnyPackage(root, root + ".spi", root + ".spring..")))
            .and(DescribedPredicate.not(JavaClass.Predicates.simpleNameEndingWith("Locks"))))
        .because("the starter works on any provider")
        .allowEmptyShould(true);
  }

  /** An application without Spring gets nothing of it. */
  ArchRule nobodyKnowsTheStarter() {
    return noClasses()
        .that(resideInAnyPackage(root + ".."))
        .and()
        .resideOutsideOfPackages(root + ".spring..", root + ".bench..", root + ".measure.peers..")
        .should()
        .dependOnClassesThat(resideInAnyPackage(root + ".spring..", "org.springframework.."))
        .because("Spring is the starter's business");
  }

  /** Whoever wants a provider goes through the API; only the SPI finds it. */
  ArchRule providersDoNotKnowEachOther() {
    return slices()
        .assignedFrom(new ProviderSlices(root))
        .should()
        .notDependOnEachOther()
        .because("a provider's jar must work without the others'");
  }

  /** What measures treats all locks alike, whoever made them. */
  ArchRule measuringKnowsNoProvider() {
    return noClasses()
        .that(resideInAnyPackage(root + ".measure.."))
        .should()
        .dependOnClassesThat(resideInAnyPackage(root + "..")
            .and(DescribedPredicate.not(
                resideInAnyPackage(root, root + ".tck", root + ".measure.."))))
        .because("providers and other libraries' locks are measured by the same means");
  }

  /** The packages of the comparison and of what measures stand on each other in one direction. */
  ArchRule toolsHaveNoCircles() {
    return slices()
        .assignedFrom(new Packages("the tools", below(Set.of("measure", "compare")), type -> false))
        .should()
        .beFreeOfCycles()
        .because("a package that others stand on is understood without them");
  }

  /**
   * The packages of a provider stand on each other in one direction, and none on what opens it. Its
   * options are known in all of them.
   */
  ArchRule providersHaveNoCircles() {
    return slices()
        .assignedFrom(new Packages("providers", below(providers()), Architecture::isOption))
        .should()
        .beFreeOfCycles()
        .because("a package that others stand on is understood without them");
  }

  /** What opens a client stands on the engine, and the engine on what it runs on. */
  ArchRule engineHasNoCircles() {
    return slices()
        .matching(root + ".internal.(*)..")
        .should()
        .beFreeOfCycles()
        .because("the engine is read without what opens it, and its threads without the engine");
  }

  /** A call stands on what its annotation says and on the lease; those stand without the call. */
  ArchRule starterHasNoCircles() {
    return slices()
        .matching(root + ".spring.internal.(*)..")
        .should()
        .beFreeOfCycles()
        .because("what a lease means is read without annotations, and a client without both");
  }

  /** How a server is found and run is read without what differs between Redis and databases. */
  ArchRule testServersHaveNoCircles() {
    return slices()
        .matching(root + ".testservers.internal.(*)..")
        .should()
        .beFreeOfCycles()
        .because("servers of all kinds are found and run alike");
  }

  /** The engine gets an open backend: where that comes from is no business of its. */
  ArchRule engineKnowsNoProvider() {
    return noClasses()
        .that(resideInAnyPackage(root + ".internal.engine..", root + ".internal.running.."))
        .should()
        .dependOnClassesThat(resideInAnyPackage(root + ".internal.opening..")
            .or(JavaClass.Predicates.simpleName("LockProvider")))
        .because("it serves all providers alike");
  }

  /** An internal package belongs to its module. */
  ArchRule internalsStayInTheirModule() {
    return classes()
        .that(resideInAnyPackage(root + ".."))
        .should(new ArchCondition<>("use internal packages of their own module only") {
          @Override
          public void check(JavaClass type, ConditionEvents events) {
            type.getDirectDependenciesFromSelf().stream()
                .filter(dependency -> isForeign(type, dependency.getTargetClass()))
                .forEach(dependency ->
                    events.add(SimpleConditionEvent.violated(type, dependency.getDescription())));
          }
        });
  }

  private boolean isForeign(JavaClass user, JavaClass used) {
    String name = used.getPackageName();
    int internal = name.startsWith(root + ".") ? (name + ".").indexOf(".internal.") : -1;
    if (internal < 0) {
      return false;
    }
    String module = name.substring(0, internal);
    return module.equals(root)
        ? !List.of(root, root + ".spi").contains(user.getPackageName())
            && !(user.getPackageName() + ".").startsWith(root + ".internal.")
        : !(user.getPackageName() + ".").startsWith(module + ".");
  }

  /**
   * A public class that is not final invites to extend it. {@code LockTck} is meant for that: a
   * backend's author extends it. Packages named {@code internal} are not exported.
   */
  ArchRule publicTypesAreClosed() {
    return classes()
        .that(resideInAnyPackage(root + ".."))
        .and(DescribedPredicate.not(resideInAnyPackage(root + "..internal..")))
        .and()
        .arePublic()
        .and()
        .areNotInterfaces()
        .and()
        .areNotEnums()
        .and(DescribedPredicate.not(assignableTo(Throwable.class)))
        .and()
        .doNotHaveFullyQualifiedName(root + ".tck.LockTck")
        .should()
        .haveModifier(JavaModifier.FINAL)
        .because("what is open for extension cannot be changed any more");
  }

  private Set<String> below(Set<String> parts) {
    return parts.stream().map(part -> root + "." + part).collect(Collectors.toSet());
  }

  /** Also the types nested in there: what an option can be chosen from. */
  private static boolean isOption(JavaClass type) {
    return type.getName().split("\\$", 2)[0].endsWith("Options");
  }

  private String[] api() {
    return new String[] {root, root + ".spi", root + ".internal.."};
  }

  private static String[] join(String[] some, String... more) {
    return Stream.of(some, more).flatMap(Arrays::stream).toArray(String[]::new);
  }

  private record ProviderSlices(String root) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      Optional<String> provider = CLIENTS.keySet().stream()
          .filter(id -> !id.startsWith(SHARED) && !id.equals(SHARED_ON_SQL))
          .filter(id -> (type.getPackageName() + ".").startsWith(root + "." + id + "."))
          .findFirst();
      return provider.map(SliceIdentifier::of).orElseGet(SliceIdentifier::ignore);
    }

    @Override
    public String getDescription() {
      return "providers";
    }
  }

  /** Each package below some is a slice of its own. */
  private record Packages(String whose, Set<String> above, Predicate<JavaClass> leftOut)
      implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = type.getPackageName();
      boolean below = above.stream().anyMatch(each -> (name + ".").startsWith(each + "."));
      return below && !leftOut.test(type) ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages of " + whose;
    }
  }
}
