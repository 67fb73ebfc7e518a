#!/usr/bin/env bash
# The current Redis or Valkey without Docker, for tests that take their server from the PATH.
#
#   .ci/redis.sh redis|valkey DIR   prepares DIR/root once, and prints a directory to put in front of
#                                   the PATH: redis-server, or valkey-server, is in it
#
# Status 0 if all went well, 2 if this machine cannot do it (the reason is on stderr), 1 otherwise.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sid.sh"

[[ $# == 2 && $1 =~ ^(redis|valkey)$ && $2 == /* ]] || { sed -n '2,7p' "$0" >&2; exit 1; }
name=$1-server
dir=$2
prepare_sid "$dir"
# Debian has one program for server, sentinel and checks, which goes by the name that it is called.
# Outside the root, because the tests' files are there, so with the root's own loader and libraries.
loader=$(find "$dir/root/usr/lib" -name 'ld-linux*.so.*' -print -quit)
libraries=$(find "$dir/root/usr/lib" -maxdepth 1 -name '*-linux-gnu*' -print -quit)
mkdir -p "$dir/$1"
cat >"$dir/$1/$name" <<PROGRAM
#!/bin/sh
exec "$loader" --argv0 $name --library-path "$libraries" "$dir/root/usr/bin/$1-check-rdb" "\$@"
PROGRAM
chmod +x "$dir/$1/$name"
"$dir/$1/$name" --version >&2 || cannot "$name does not run"
echo "$dir/$1"
