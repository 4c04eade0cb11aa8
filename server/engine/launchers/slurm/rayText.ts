import { quoteArgument } from "#packages/base";

/** Options of a Ray cluster within a multi-machine job. */
export type RayWithin = {
  machines: number;
  /** Command that starts Ray on the machines. */
  program: readonly string[];
  /** How long machines may take to join. */
  joinSeconds: number;
};

/**
 * Script lines that start a Ray cluster on the job's machines, found by programs through `RAY_ADDRESS`. The head runs
 * on the first machine with the script, a worker on each other; both are steps of the job and end with it. The port is
 * derived from the job's number, so that two jobs on a machine do not collide. If not all machines join in time, the
 * node is to blame.
 */
export function startRay({ machines, program, joinSeconds }: RayWithin): string[] {
  const ray = program.map(quoteArgument).join(" ");
  const common = '--num-cpus="${SLURM_CPUS_ON_NODE:-1}" --block';
  const step = "srun --overlap --nodes=1 --ntasks=1";
  return [
    "# A name may be that of the loopback: the first address that is not.",
    `ip=$(hostname -I 2>/dev/null | tr ' ' '\\n' | grep -v '^127\\.' | head -n 1)`,
    "port=$((20000 + ${SLURM_JOB_ID:-0} % 10000))",
    'RAY_ADDRESS="$ip:$port"',
    "export RAY_ADDRESS",
    `${step} --nodelist="\${SLURMD_NODENAME:-$(uname -n)}" ${ray} start --head --node-ip-address="$ip" --port="$port" --include-dashboard=false ${common} >>"$folder/ray.log" 2>&1 &`,
    "steps=$!",
    `countMachines() { ${ray} status --address "$RAY_ADDRESS" 2>/dev/null | sed -n '/^Active:/,/^Pending:/p' | grep -c '^ 1 node_'; }`,
    `end=$(($(date +%s) + ${joinSeconds}))`,
    "joined=0",
    `until [ "$joined" -ge ${machines} ] || [ "$(date +%s)" -ge "$end" ] || [ -n "$again" ]; do`,
    "  joined=$(countMachines)",
    "  # Workers come when there is somebody to come to.",
    '  if [ "$joined" -ge 1 ] && [ "$steps" = "${steps#* }" ]; then',
    `    srun --overlap --nodes=${machines - 1} --ntasks=${machines - 1} --ntasks-per-node=1 --exclude="\${SLURMD_NODENAME:-$(uname -n)}" ${ray} start --address="$RAY_ADDRESS" ${common} >>"$folder/ray.log" 2>&1 &`,
    '    steps="$steps $!"',
    "  fi",
    "  sleep 2",
    "done",
    `if [ "$joined" -lt ${machines} ]; then`,
    `  printf '%s\\n' "Ray: $joined of ${machines} machines joined within ${joinSeconds} s; see ray.log" >>"$folder/stderr.log"`,
    '  [ -n "$again" ] || echo node_failed >"$folder/cause"',
    "  kill $steps 2>/dev/null",
    `  printf '%-3s\\n' 1 1<>"$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"`,
    "  exit 1",
    "fi",
  ];
}

/** The steps would end with the script; stopped explicitly, they leave nothing on the machines. */
export const stopRay = ["kill $steps 2>/dev/null", "wait $steps 2>/dev/null"];
