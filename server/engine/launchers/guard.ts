import { rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ignoreMissing } from "./processIdentity.ts";

/**
 * Extends the lease of a job by `leaseMs`. The file contains its end in seconds; it is rewritten only after a twentieth
 * of it has passed, not at every poll.
 */
export async function renewLease(folder: string, leaseMs: number): Promise<void> {
  const path = join(folder, "lease");
  const written = await stat(path).catch(ignoreMissing);
  if (written !== undefined && Date.now() - written.mtimeMs < leaseMs / 20) return;
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${Math.ceil((Date.now() + leaseMs) / 1000)}\n`);
  await rename(draft, path);
}

/**
 * Script that ends an abandoned job: `sh guard.sh FOLDER SECONDS`. It checks the lease at that interval. After expiry
 * it asks the job's process group to save and exit, and kills it two minutes later. It is not in the group, so it does
 * not prolong the job.
 */
export function guardText(): string {
  return text;
}

const text = `#!/bin/sh
# Ends a job that nobody looks after any more: sh guard.sh FOLDER SECONDS
set -uf
folder=$1
every=$2
LC_ALL=C
export LC_ALL

field() {
  sed -n "s/.*\\"$1\\":\\"\\{0,1\\}\\([^\\",}]*\\).*/\\1/p" "$folder/pid.json"
}

# The group is ours while its leader is the one that started; when the leader is gone its number is not given away as
# long as the group has members.
is_ours() {
  kill -0 "-$pid" 2>/dev/null || return 1
  [ -r "/proc/$pid/stat" ] || return 0
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 0
  set -- \${stat##*) }
  shift 19
  [ "$1" = "$(field startTime)" ]
}

while sleep "$every"; do
  [ -e "$folder/exit" ] && exit 0
  [ -r "$folder/pid.json" ] || exit 0
  pid=$(field pid)
  [ "\${pid:-0}" -gt 1 ] && is_ours || exit 0
  until=$(cat "$folder/lease" 2>/dev/null)
  [ "$(date +%s)" -lt "\${until:-0}" ] && continue
  printf 'lease ran out: nobody looked after this job\\n' >>"$folder/stderr.log"
  kill -TERM "-$pid"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    sleep 10
    is_ours || exit 0
  done
  kill -KILL "-$pid"
  exit 0
done
`;
