# Runs one server and kills it when the JVM that asked for it is gone.
#
# Arguments: the server's private directory, then the server's command line.
# Input:     a pipe whose other end only the JVM holds, so its end means that the JVM is gone.
# Output:    one line, the process id of the server itself.
# Status:    that of the server.
#
# The shell is the server's parent because only a parent can collect its exit; a second shell
# guards the pipe because the first one is busy waiting for the server.
home=$1
shift
exec 3<&0 </dev/null
"$@" >>"$home/server.log" 2>&1 3<&- &
server=$!

# Ctrl-C and a closed terminal reach every process of the group: the guard has to outlive the JVM.
trap '' HUP INT TERM PIPE
(
  while read -r line <&3; do :; done
  : >"$home/.orphaned"
  # With the processes that work for it: they end with it, but not while they are stopped.
  workers=$(cat "/proc/$server/task/$server/children" || pgrep -P "$server")
  # A stopped server is continued first, so that nothing of it stays behind on any system.
  kill -CONT "$server" $workers
  kill -KILL "$server" $workers
) >/dev/null 2>&1 &
guard=$!
exec 3<&-
echo "$server"

wait "$server"
status=$?
kill -KILL "$guard"
wait "$guard" 2>/dev/null
if [ -e "$home/.orphaned" ]; then
  cd /
  rm -rf "$home"
fi
exit "$status"
