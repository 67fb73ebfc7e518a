#!/usr/bin/env bash
# Compares the public API of what is published with the last release, whose number is the property
# api.released of pom.xml. Another one may be given, and settings for Maven: .ci/api.sh VERSION -D...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# All that 0.1.0 is to have. A module that is new after a release joins once it was in one itself.
readonly modules=(lock-api lock-tck lock-local lock-redis-setnx lock-redis-watch lock-redis-hash lock-mysql
  lock-postgres lock-quorum lock-fencing-jdbc lock-spring-boot-starter lock-spring-boot-test)

released=${1:-$(sed -n 's|.*<api.released>\(.*\)</api.released>.*|\1|p' pom.xml)}
if [[ -z $released ]]; then
  echo 'Nothing is released yet, so there is no API to compare with.'
  exit
fi
echo "Comparing the API with that of $released ..."
rm -rf lock-*/target/japicmp
mvn -B -ntp -q verify -Papi '-P!error-prone' "-Dapi.released=$released" -Dmaven.test.skip=true \
  -Dspotless.check.skip=true -am -pl "$(IFS=,; echo "${modules[*]}")" "${@:2}"
# A release that cannot be had is only a warning there.
for module in "${modules[@]}"; do
  grep -qs "against .*$module-$released.jar" "$module"/target/japicmp/*.diff ||
    { echo "$module was not compared with its release $released"; exit 1; }
done
