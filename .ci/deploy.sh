#!/usr/bin/env bash
# .ci/deploy.sh DIRECTORY [OPTION OF MAVEN]...: puts all modules that are published into a directory, as into a
# repository, without running tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$1
shift
# The tools and what only tests are never published, so they need not be built.
exec mvn -B -ntp -q deploy -pl '!lock-tck-selftest,!lock-testservers-tests,!lock-measure,!lock-compare,!lock-bench' \
  -Dmaven.test.skip=true -Dmaven.install.skip=true -Dspotless.check.skip=true \
  -DaltDeploymentRepository="interlock::file://$repository" "$@"
