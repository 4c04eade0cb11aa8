/**
 * Script that runs a job: `sh wrapper.sh FOLDER COMMAND…`. It survives its parent process, claims the job so that a
 * second start has no effect, and writes the exit code. The command is never inserted into the script's text.
 */
export const wrapperText = `#!/bin/sh
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
  take_start \${stat##*) }
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
printf '{"pid":%s,"startTime":"%s","bootId":"%s"}\\n' "$$" "$start" "$boot" >"$folder/pid.$$" || leave
# Room for the exit code, which is written over this: on a full disk it could not be written anew.
[ -s "$folder/exit.new" ] || printf '000\\n' >"$folder/exit.new" || leave
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
until printf '%-3s\\n' "$code" 1<>"$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"; do sleep 1; done
`;

/**
 * Returns `setup.sh`, which runs a node's `setup` lines in a bash that has read /etc/profile (`module`). Then it runs
 * its arguments as a command with the exported variables. A line that fails ends the job.
 */
export function setupText(lines: readonly string[]): string {
  return [
    "#!/bin/bash",
    "# Prepares the machine as the nodes file says, then runs the job's command: bash setup.sh COMMAND...",
    'command=("$@")',
    "set --",
    "path=$PATH",
    "[ -r /etc/profile ] && . /etc/profile >/dev/null 2>&1",
    "PATH=$path:$PATH",
    'command -v conda >/dev/null 2>&1 && eval "$(conda shell.bash hook 2>/dev/null)"',
    `trap 'printf "setup failed: %s\\n" "$BASH_COMMAND" >&2' ERR`,
    "set -e",
    ...lines,
    "set +e",
    "trap - ERR",
    'exec "${command[@]}"',
    "",
  ].join("\n");
}

/** Setup script in an attempt's folder. It may export secrets, so only its owner may read it. */
export const setupFile = { name: "setup.sh", mode: 0o600 } as const;

/** Returns a command that first runs the node's `setup` lines, or `command` itself if there are no lines. */
export function afterSetup(folder: string, lines: readonly string[], command: readonly string[]): string[] {
  return lines.length === 0 ? [...command] : ["bash", `${folder}/${setupFile.name}`, ...command];
}

/** Variables that every job receives from the orchestrator or ssh account; all others are withheld (docs/nodes.md). */
const names = [
  "PATH HOME USER LOGNAME SHELL TMPDIR LANG TZ LD_LIBRARY_PATH XDG_CACHE_HOME",
  "HTTPS_PROXY HTTP_PROXY NO_PROXY http_proxy https_proxy no_proxy",
  "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE",
  "CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE VIRTUAL_ENV MODULEPATH MODULESHOME",
  "TRANSFORMERS_OFFLINE TOKENIZERS_PARALLELISM PYTORCH_CUDA_ALLOC_CONF RAY_ADDRESS ARLARENA_CUDA",
].flatMap((line) => line.split(" "));
const prefixes = [
  "WANDB_ HF_ HUGGINGFACE_ HUGGING_FACE_ NCCL_ CUDA_ NVIDIA_ ROCR_ HIP_ UCX_ GLOO_",
  "TORCH_ TRITON_ VLLM_ SGLANG_ UV_ APPTAINER_ SINGULARITY_ LMOD_",
].flatMap((line) => line.split(" "));

type Environment = Readonly<Record<string, string | undefined>>;

export function passedVariables(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix)))
        ? [[name, value]]
        : [],
    ),
  );
}
