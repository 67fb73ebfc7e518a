#!/usr/bin/env bash
# Runs the program of README.md as its reader would, from an empty directory, and looks whether the
# commands and options on the pages exist. Needs what examples/build has published.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
home=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block LANGUAGE TEXT: the first block of README.md in the language that has the text in it.
block() {
  awk -v begin="\`\`\`$1" -v text="$2" '
    $0 == begin { inside = 1; block = ""; next }
    inside && $0 == "```" { inside = 0; if (index(block, text)) { printf "%s", block; exit } }
    inside { block = block $0 "\n" }' README.md
}

echo 'Following README.md from an empty directory ...'
mkdir "$work/turns"
{
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>example</groupId><artifactId>turns</artifactId><version>1</version>'
  echo "<repositories><repository><id>interlock</id><url>file://$home/target/repository</url></repository></repositories>"
  echo "<dependencies>$(block xml lock-redis-setnx)</dependencies></project>"
} >"$work/turns/pom.xml"
block java 'class Turns' >"$work/turns/Turns.java"
{
  block sh Turns.java | sed -e "s|^mvn |mvn -B -ntp -q '-Dmaven.repo.local=$home/target/examples-m2' |" \
    -e 's|redis-setnx://localhost|"redis-setnx:${SERVER_URI#redis:}"|'
  echo 'wait $!'
} >"$work/turns/commands"
(cd "$work/turns" && "$home/.ci/with-server.sh" redis bash -e commands) | tee "$work/turns/output"
for instance in first second; do
  [[ $(grep -c "$instance has turn [1-5], fencing token [0-9]*$" "$work/turns/output") == 5 ]] ||
    { echo "$instance has not had its five turns"; exit 1; }
done
# Whoever has a turn has the larger token, so the tokens of both are in the order of the lines.
sed 's/.* //' "$work/turns/output" | sort -c -n

echo 'Looking at the commands on the pages ...'
faults=0
fault() {
  echo "$1"
  faults=$((faults + 1))
}
pages=(README.md CONTRIBUTING.md SPEC.md docs/*.md lock-*/*.md examples/*/README.md)
# Their text in backticks, one a line: what is broken over two lines is one.
spans() {
  awk '/^```/ { inside = !inside; if (inside) next } inside { print "`" $0 "`"; next } { printf "%s ", $0 } /^$/ { print "" }' \
    "$@" | grep -o '`[^`]*`' | tr -d '`'
}
found=0
while read -r command rest; do
  case $command in
    ./interlock)
      name=${rest%% *}
      [[ -s $work/help-$name ]] || ./interlock help "$name" >"$work/help-$name" 2>&1 ||
        { fault "There is no './interlock $name'"; continue; }
      for option in $(grep -oE -- '--[a-z][a-z-]*' <<<"$rest"); do
        grep -q -- "$option\b" "$work/help-$name" || fault "'./interlock $name' has no $option"
      done
      ;;
    mvn)
      for module in $(grep -oE -- 'lock-[a-z-]+' <<<"$rest"); do
        [[ -f $module/pom.xml ]] || fault "There is no module $module"
      done
      for profile in $(sed -n 's/.*-P\([a-z,-]*\).*/\1/p' <<<"$rest" | tr , ' '); do
        grep -q "<id>$profile</id>" pom.xml lock-*/pom.xml || fault "There is no profile $profile"
      done
      ;;
    .ci/* | examples/*)
      [[ -e $command ]] || fault "There is no $command"
      ;;
    *) continue ;;
  esac
  found=$((found + 1))
done < <(spans "${pages[@]}" | sort -u)
echo "$found commands, $faults faults"
((found >= 20 && faults == 0))
