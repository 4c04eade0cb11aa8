#!/bin/sh
# Runs one job: sh wrapper.sh FOLDER COMMAND...
set -uf
folder=$1
shift
LC_ALL=C
export LC_ALL

# Who we are. A process id alone is reused; with its start time and the boot it is not.
take_start() {
  shift 19
  start=$1
}
if [ -r "/proc/$$/stat" ]; then
  stat=$(cat "/proc/$$/stat")
  take_start ${stat##*) }
  boot=$(cat /proc/sys/kernel/random/boot_id)
else
  start=$(ps -o lstart= -p "$$")
  boot=$(sysctl -n kern.bootsessionuuid 2>/dev/null || echo unknown)
fi
# Whoever finds no room now leaves no claim, and is started again.
leave() {
  rm -f "$folder/pid.$$"
  exit 1
}
printf '{"pid":%s,"startTime":"%s","bootId":"%s"}\n' "$$" "$start" "$boot" >"$folder/pid.$$" || leave
# Room for the exit code, which is written over this: on a full disk it could not be written anew.
[ -s "$folder/exit.new" ] || printf '000\n' >"$folder/exit.new" || leave
touch "$folder/stdout.log" "$folder/stderr.log" || leave

# The claim. A link is made whole or not at all, and only once: whoever comes second leaves.
ln "$folder/pid.$$" "$folder/pid.json" 2>/dev/null
claimed=$?
rm -f "$folder/pid.$$"
[ "$claimed" -eq 0 ] || exit 0

# Signals go to the whole group. We wait for the command, which decides how it ends; a handler, unlike an ignored
# signal, is not inherited by it.
trap : HUP INT TERM

# One thread per run, and the machine stays usable.
OMP_NUM_THREADS=1 nice -n 5 "$@" </dev/null >>"$folder/stdout.log" 2>>"$folder/stderr.log"
code=$?

# Nobody else can tell how it ended: where even this finds no room, it waits for some.
until printf '%-3s\n' "$code" 1<>"$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"; do sleep 1; done
