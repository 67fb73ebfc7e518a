# For .ci/run and .ci/nightly, which source this: sections that all run, also after one has failed, a summary of them,
# and what both bring to a machine that lacks it. LIMIT_MINUTES says when what is not finished is ended.
set -uo pipefail
exec </dev/null
export CI=true

readonly LIMIT_SECONDS=$((LIMIT_MINUTES * 60))
started=$SECONDS
failed=()
failures=()
summary=()
log=$(mktemp)
trap 'rm -f "$log" "$log.times"' EXIT
# Where Debian's current servers are put, once.
readonly sid=${TMPDIR:-/tmp}/interlock-sid
# Tests of crowds and kills, which say nothing about one server or JDK that they do not say about another.
readonly crowds=('!ManyReadersTest' '!DyingWaitersTest' '!KilledHoldersTest')

# Why the last section failed, in few lines for the end: of a long output only the end may be kept.
# What Maven says of the tests that failed and of the goals, else the rules that a comparison found broken, else the end.
why_failed() {
  {
    awk '/^\[ERROR\] (Failures|Errors): *$/, /^\[ERROR\] Tests run:/' "$log" | head -n 60
    grep -E '^\[ERROR\] (Failed to execute goal|.*(ExecutionException|forked VM|timeout|Compilation))' "$log" | head -n 10
    grep -E -A 3 '^(FAIL|INCONCLUSIVE) |^ *FAILED ' "$log" | head -n 20
  } | cut -c 1-400 | grep . || tail -n 15 "$log" | cut -c 1-400
}

# Sets used to the seconds that all processes which have ended took of the processors.
count_processors() {
  times >"$log.times"
  used=$(awk 'function seconds(of, part) { split(of, part, "[ms]"); return part[1] * 60 + part[2] }
    NR == 2 { printf "%d", seconds($1) + seconds($2) }' "$log.times")
}

# section TITLE COMMAND...
section() {
  local title=$1 start=$SECONDS status=0 copying look before
  shift
  count_processors
  before=$used
  exec {out}> >(exec tee "$log")
  copying=$!
  printf '\n=== %s: %s\n' "$title" "$*"
  local left=$((LIMIT_SECONDS - (start - started)))
  if ((left <= 0)); then
    status=124
  elif command -v timeout >/dev/null; then
    timeout --kill-after=30s "$left" "$@" >&"$out" 2>&1 || status=$?
  else
    "$@" >&"$out" 2>&1 || status=$?
  fi
  exec {out}>&-
  # Not for ever: what a section left running may hold its output open.
  for ((look = 0; look < 50; look++)); do
    kill -0 "$copying" 2>/dev/null || break
    sleep 0.2
  done
  case $status in
    0) status=passed ;;
    124 | 137) status="FAILED: not finished $((LIMIT_SECONDS / 60)) minutes after the start" ;;
    *) status="FAILED with status $status" ;;
  esac
  if [[ $status != passed ]]; then
    failed+=("$title")
    failures+=("--- $title"$'\n'"$(why_failed)")
  fi
  count_processors
  summary+=("$(printf '%5d s, %5d s of processors  %-40s %s' "$((SECONDS - start))" "$((used - before))" \
    "$title" "$status")")
  printf '=== %s: %s after %d s\n' "$title" "$status" "$((SECONDS - start))"
}

# skipped TITLE WHY: says so, here and at the end.
skipped() {
  printf '\n!!! SKIPPED: %s: %s\n' "$1" "$2"
  summary+=("$(printf '%29s  %-40s SKIPPED: %s' - "$1" "$2")")
}

# left_out CLASS TITLE WHY: says so if every test of the class left itself out of the last section.
left_out() {
  ! grep -q "Tests run: \([1-9][0-9]*\), .*Skipped: \1, .* -- in $1\$" "$log" || skipped "$2" "$3"
}

# ran CLASS LEAST: the last section has failed if it has not run so many tests of the class: nothing else
# tells of tests that a tag or a list of rules left out.
ran() {
  local run
  run=$(sed -n "s/.*Tests run: \([0-9]*\), .* -- in $1\$/\1/p" "$log" | tail -n 1)
  ((${run:-0} >= $2)) && return
  failed+=("${run:-0} tests of $1")
  failures+=("--- $1: ${run:-0} tests were run, where there are $2 or more")
}

# The feature number of a Java launcher, such as 17.
java_version() {
  "$1" -version 2>&1 | sed -n 's/.* version "\([0-9][0-9]*\).*/\1/p' | head -n 1
}

# Sets jvm to the options of Maven that run the tests on the newest JDK, if one is newer than that of the build, and
# newest_version to its number.
find_newest_jdk() {
  local java version built
  jvm=()
  newest_version=$(java_version "${JAVA_HOME:+$JAVA_HOME/bin/}java")
  built=$newest_version
  for java in /usr/lib/jvm/*/bin/java /opt/java/*/bin/java "$HOME"/.sdkman/candidates/java/*/bin/java; do
    [[ -x $java && -x ${java%/java}/javac ]] || continue
    version=$(java_version "$java")
    if [[ -n $version && $version -gt $newest_version ]]; then
      jvm=("-Djvm=$java" -DargLine=)
      newest_version=$version
    fi
  done
  ((newest_version > built)) || skipped 'tests on a newer JDK' "only JDK $built was found"
}

# From here on the classes are there, and no source changes. Maven would compile them again, since their
# dependencies are jars in one build and directories in the next one. So what follows, also with the newest drivers,
# runs what was compiled with the oldest ones, as applications do.
keep_classes() {
  export MAVEN_OPTS="${MAVEN_OPTS:-} -Dmaven.compiler.useIncrementalCompilation=false -Dspotless.check.skip=true"
}

# bring TITLE PACKAGE PROGRAM...: has the programs on the PATH, from Debian's packages if need be, and says whether.
bring() {
  local title=$1 packages=$2
  shift 2
  if ! has_all "$@" && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    echo "Installing $packages for $title"
    # RUNLEVEL: a package must not start a server itself.
    # shellcheck disable=SC2086
    timeout 300 apt-get update -qq &&
      RUNLEVEL=1 timeout 600 apt-get install -y -qq --no-install-recommends $packages >/dev/null
  fi
  has_all "$@"
}

has_all() {
  local program
  for program in "$@"; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || return
  done
}

# joined ITEM...: with commas.
joined() {
  local IFS=,
  printf '%s' "$*"
}

# Ends the script: with 0 if all sections have passed.
end() {
  printf '\n=== Summary after %d s\n' "$((SECONDS - started))"
  printf '%s\n' "${summary[@]}"
  if ((${#failed[@]})); then
    printf '%s\n' "${failures[@]}"
    printf 'FAILED: %s\n' "${failed[*]}"
    exit 1
  fi
  echo 'All sections passed.'
}
