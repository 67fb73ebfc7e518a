#!/usr/bin/env bash
# A real MySQL 9 without Docker, for tests that honour INTERLOCK_TEST_MYSQL: the one of Debian sid.
#
#   .ci/mysql9.sh start DIR   prepares DIR/root once, starts mysqld on a free port of the loopback
#                             address with fresh data, and prints the URI
#   .ci/mysql9.sh stop DIR    ends that mysqld and removes its data; DIR/root stays for the next time
#
# Status 0 if all went well, 2 if this machine cannot do it (the reason is on stderr), 1 otherwise.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/sid.sh"

readonly START_SECONDS=60

free_port() {
  local port
  for _ in {1..100}; do
    port=$((22000 + RANDOM % 9000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
  return 1
}

start() {
  prepare_sid "$dir"
  stop
  local port data=/interlock-data
  port=$(free_port)
  mkdir "$dir/root$data"
  cat >"$dir/root$data/init.sql" <<'SQL'
CREATE DATABASE interlock;
CREATE USER 'interlock'@'%' IDENTIFIED BY 'interlock';
GRANT ALL PRIVILEGES ON *.* TO 'interlock'@'%' WITH GRANT OPTION;
SQL
  chroot "$dir/root" mysqld --no-defaults --initialize-insecure --user=root \
    --datadir="$data/db" >"$dir/mysqld.log" 2>&1
  chroot "$dir/root" mysqld --no-defaults --user=root --datadir="$data/db" --tmpdir="$data" \
    --bind-address=127.0.0.1 --port="$port" --socket="$data/socket" --pid-file="$data/pid" \
    --secure-file-priv= --mysqlx=OFF --max-connections=500 --init-file="$data/init.sql" \
    </dev/null >>"$dir/mysqld.log" 2>&1 &
  echo "$!" >"$dir/pid"
  for ((i = 0; i < START_SECONDS * 10; i++)); do
    if grep -q "ready for connections.*port: $port" "$dir/mysqld.log"; then
      echo "mysql://interlock:interlock@127.0.0.1:$port/interlock"
      return
    fi
    kill -0 "$(<"$dir/pid")" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$dir/mysqld.log" >&2
  stop
  return 1
}

stop() {
  local pid
  if [[ -e $dir/pid ]]; then
    pid=$(<"$dir/pid")
    # A number of an earlier boot may belong to another program by now.
    if [[ $(cat "/proc/$pid/comm" 2>/dev/null) == mysqld ]]; then
      kill -KILL "$pid" 2>/dev/null || true
      while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    fi
    rm -f "$dir/pid"
  fi
  rm -rf "$dir/root/interlock-data"
}

[[ $# == 2 && $2 == /* ]] || { sed -n '2,8p' "$0" >&2; exit 1; }
dir=$2
case $1 in
  start | stop) "$1" ;;
  *) exit 1 ;;
esac
