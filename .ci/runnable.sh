#!/usr/bin/env bash
# Runs the operators' commands as one jar: it must know every provider, and the drivers must find what they need
# in it. Without the name of such a jar it builds one.
set -euo pipefail
if (($#)); then
  jar=$1
else
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  mvn -B -ntp -q package -Prunnable -Dmaven.test.skip=true -pl lock-cli -am
  jar=$(ls lock-cli/target/runnable/lock-cli-*-runnable.jar)
fi

# told TEXT ARGUMENT...: whether the jar says so.
told() {
  local text=$1 said
  shift
  said=$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -jar "$jar" "$@" 2>&1) || true
  [[ $said == *"$text"* ]] && return
  printf '%s %s does not say "%s", but:\n%s\n' "$jar" "$*" "$text" "$said"
  return 1
}

told 'No lock is held.' ls local://
told '[local, mysql, postgres, quorum, redis-hash, redis-setnx, redis-watch]' ls nosuch://
# Nothing listens there, and to find that out is the driver's business.
for uri in {redis-setnx,redis-watch,redis-hash}://127.0.0.1:1 {mysql,postgres}://user:password@127.0.0.1:1/locks; do
  told refused ls "$uri"
done
