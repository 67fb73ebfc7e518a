#!/usr/bin/env bash
# Runs a command beside a server of the tests, whose address it finds in SERVER_URI:
#
#   .ci/with-server.sh redis|mysql|postgres COMMAND...
#
# Builds what it needs of the modules if that was not done yet.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
classpath=$home/lock-testservers/target/classpath
if [[ ! -s $classpath || $home/pom.xml -nt $classpath || $home/lock-testservers/pom.xml -nt $classpath ]]; then
  (cd "$home" && mvn -B -ntp -q package dependency:build-classpath -pl lock-testservers -am -Dmaven.test.skip=true \
    -Dspotless.check.skip=true '-P!error-prone' '-Dmdep.outputFile=${project.build.directory}/classpath') >&2
fi
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$home/lock-testservers/target/classes:$(<"$classpath")" \
  "$home/.ci/WithServer.java" "$@"
