# To be sourced. Servers that are newer than those of this machine, without Docker: those of Debian sid,
# in a directory of their own. Needs root, Debian's debootstrap, and once a network.

readonly SID_PACKAGES=mysql-server-core,redis-tools,valkey-tools

# Ends with status 2, which means that this machine cannot do it, and says why on stderr.
cannot() {
  echo "$(basename "$0"): the servers of Debian sid cannot be had here: $1" >&2
  exit 2
}

install_debootstrap() {
  command -v apt-get >/dev/null || return 1
  apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq debootstrap >&2
}

# prepare_sid DIR: puts the programs into DIR/root, once.
prepare_sid() {
  local dir=$1
  [[ ! -e $dir/prepared ]] || return 0
  [[ $(id -u) == 0 ]] || cannot 'debootstrap and chroot need root'
  command -v debootstrap >/dev/null || install_debootstrap || cannot 'debootstrap is not installed'
  rm -rf "$dir/root"
  mkdir -p "$dir"
  debootstrap --variant=minbase --include="$SID_PACKAGES" sid "$dir/root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} \
    >"$dir/debootstrap.log" 2>&1 || cannot "debootstrap failed, see $dir/debootstrap.log"
  : >"$dir/prepared"
}
