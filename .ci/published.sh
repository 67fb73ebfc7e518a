#!/usr/bin/env bash
# Publishes all modules as a release would, into a directory under target, and checks that each has its
# sources and Javadoc beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$PWD/target/published
rm -rf "$repository"
# The tools and what only tests are never published, so they need not be built.
mvn -B -ntp -q deploy -Prelease -pl '!lock-tck-selftest,!lock-testservers-tests,!lock-measure,!lock-compare,!lock-bench' -Dmaven.test.skip=true \
  -Dmaven.install.skip=true -Dspotless.check.skip=true \
  -DaltDeploymentRepository="interlock::file://$repository"
missing=0
found=0
for pom in "$repository"/dev/interlock/*/*/*.pom; do
  base=${pom%.pom}
  [[ -f $base.jar ]] || continue
  found=$((found + 1))
  for kind in sources javadoc; do
    if [[ ! -s $base-$kind.jar ]]; then
      echo "$(basename "$base") has no $kind jar"
      missing=1
    fi
  done
done
echo "$found modules with a jar, sources and Javadoc"
((found >= 4 && missing == 0))
