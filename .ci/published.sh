#!/usr/bin/env bash
# Publishes all modules as a release would, into target/repository and once more elsewhere, and checks what Maven
# Central and users ask for: sources, Javadoc and a list of contents (SBOM) beside each jar, the licence
# and a module's name in it, a signature for each file, the same bytes from both builds, and the operators'
# commands as one jar. Without gpg there are no signatures, and it says so. "examples/build --published" goes on
# with target/repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly repository=$PWD/target/repository again=$work/again source=$work/source
profiles=release
if command -v gpg >/dev/null; then
  # A key that nobody has after this. Its agent goes with its directory.
  export GNUPGHOME=$work/keys
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-generate-key 'Nobody <nobody@interlock.invalid>' ed25519 sign never
  profiles+=,sign
fi
rm -rf "$repository"
.ci/deploy.sh "$repository" "-P$profiles"
# In another directory, from nothing, and without what only looks at the sources or is not compared: none of that may
# show in a jar.
mkdir "$source"
tar --exclude=./.git --exclude=target -cf - . | tar -xf - -C "$source"
"$source/.ci/deploy.sh" "$again" -Prelease '-P!error-prone' -Dmaven.javadoc.skip=true -Dsbom.skip=true

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
# The operators' one jar: whole, with the licences of what it was made of, and the same from both builds.
runnable=$(ls "$repository"/dev/interlock/lock-cli/*/lock-cli-*-runnable.jar)
.ci/runnable.sh "$runnable" || fault "$(basename "$runnable") does not do what it should"
rm -rf "$work/jar"
mkdir "$work/jar"
(cd "$work/jar" && "${JAVA_HOME:+$JAVA_HOME/bin/}jar" xf "$runnable" META-INF)
for file in LICENSE sbom/interlock.cdx.json; do
  [[ -s $work/jar/META-INF/$file ]] || fault "$(basename "$runnable") has no META-INF/$file"
done
cmp -s "$runnable" "$again${runnable#"$repository"}" ||
  fault "$(basename "$runnable") is another one when it is built again"
signatures=0
if [[ $profiles == *sign ]]; then
  while read -r file; do
    if gpg --batch --quiet --verify "$file.asc" "$file" 2>"$work/said"; then
      signatures=$((signatures + 1))
    else
      fault "$(basename "$file") has no good signature: $(<"$work/said")"
    fi
  done < <(find "$repository" -type f -not -name 'maven-metadata*' -not -name '*.asc' -not -name '*.asc.*' \
    -not -name '*.md5' -not -name '*.sha*')
  ((signatures >= 4 * found)) || fault "There are too few signatures"
else
  echo '!!! SKIPPED: signatures: no gpg on the PATH'
fi
echo "$found modules with a jar, $signatures signatures; $faults faults"
((found >= 4 && faults == 0))
