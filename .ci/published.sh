#!/usr/bin/env bash
# Publishes all modules as a release would, into two directories, and checks what Maven
# Central and users ask for: sources, Javadoc and a list of contents (SBOM) beside each jar, the licence
# and a module's name in it, and the same bytes from both builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# The tools and what only tests are never published, so they need not be built.
readonly tools='!lock-tck-selftest,!lock-testservers-tests,!lock-measure,!lock-compare,!lock-bench,!lock-cli'

publish() {
  local to=$1
  shift
  mvn -B -ntp -q deploy -Prelease -pl "$tools" -Dmaven.test.skip=true -Dmaven.install.skip=true \
    -Dspotless.check.skip=true -DaltDeploymentRepository="interlock::file://$to" "$@"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly repository=$work/published again=$work/again source=$work/source
publish "$repository"
# In another directory, from nothing, and without what only looks at the sources: none of that may show.
mkdir "$source"
tar --exclude=./.git --exclude=target -cf - . | tar -xf - -C "$source"
(cd "$source" && publish "$again" '-P!error-prone' -Dmaven.javadoc.skip=true)

faults=0
fault() {
  echo "$1"
  faults=$((faults + 1))
}

found=0
for pom in "$repository"/dev/interlock/*/*/*.pom; do
  base=${pom%.pom}
  name=$(basename "$base")
  for element in name description; do
    grep -q "<$element>" "$pom" || fault "$name: its POM has no <$element>"
  done
  grep -q -e '<parent>' -e '<scm' "$pom" || fault "$name: its POM has neither a parent nor <scm>"
  [[ -f $base.jar ]] || continue
  found=$((found + 1))
  for kind in sources.jar javadoc.jar cyclonedx.json; do
    [[ -s $base-$kind ]] || fault "$name has no $kind"
  done
  rm -rf "$work/jar"
  mkdir "$work/jar"
  (cd "$work/jar" && "${JAVA_HOME:+$JAVA_HOME/bin/}jar" xf "$base.jar")
  [[ -s $work/jar/META-INF/LICENSE ]] || fault "$name.jar has no licence"
  [[ -f $work/jar/module-info.class ]] || grep -q '^Automatic-Module-Name: ' "$work/jar/META-INF/MANIFEST.MF" ||
    fault "$name.jar has no name as a module"
  for file in "$base.jar" "$base-sources.jar"; do
    cmp -s "$file" "$again${file#"$repository"}" ||
      fault "$(basename "$file") is another one when it is built again"
  done
done
echo "$found modules with a jar; $faults faults"
((found >= 4 && faults == 0))
