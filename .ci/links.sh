#!/usr/bin/env bash
# Asks for every page elsewhere that the pages, the POMs and the Javadoc lead to. By hand, or once a week where there
# is a network; it gates nothing, for others' servers are not ours. Links within the project are checked by
# DocumentationTest. Status 1 if a page is gone; a server that cannot be reached, or lets nobody look, is only listed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Addresses that stand for something: placeholders, this machine, and names of XML.
readonly NOT_PAGES='^https?://([^/]*(localhost|127\.0\.0\.1|\.example|example\.|\.invalid)|maven\.apache\.org/(POM|xsd)|www\.w3\.org/)'

ask() {
  local status
  status=$(curl --silent --location --max-time 20 --retry 1 --output /dev/null --write-out '%{http_code}' "$1") || true
  case $status in
    2*) ;;
    404 | 410) echo "GONE $1" ;;
    *) echo "not seen ($status) $1" ;;
  esac
}
export -f ask

found=$(git ls-files '*.md' '*pom.xml' '*/src/main/*.java' | xargs grep -hoE 'https?://[^][ <>"'"'"'`(){}|\\*,]+' |
  sed -e 's/[.;:]*$//' -e 's/#.*//' | grep -vE "$NOT_PAGES" | grep -v '[%$]' | sort -u)
said=$(xargs -P 8 -I '{}' bash -c 'ask "$1"' - '{}' <<<"$found" | sort)
[[ -z $said ]] || echo "$said"
echo "$(wc -l <<<"$found") addresses, $(grep -c '^GONE' <<<"$said" || true) gone, $(grep -c '^not' <<<"$said" || true) not seen"
[[ $said != *GONE* ]]
