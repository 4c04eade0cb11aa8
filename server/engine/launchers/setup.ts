/**
 * The script that a node's `setup` lines become: `bash setup.sh COMMAND…`. They are run by a bash that has read
 * /etc/profile, where clusters define `module`; the command then has what they exported. A line that fails ends the job.
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

/** The name of that script in an attempt's folder; it may export secrets, so nobody else reads it. */
export const setupFile = { name: "setup.sh", mode: 0o600 } as const;

/** A command that is run after the node's `setup` lines, where there are any. */
export function afterSetup(folder: string, lines: readonly string[], command: readonly string[]): string[] {
  return lines.length === 0 ? [...command] : ["bash", `${folder}/${setupFile.name}`, ...command];
}

/**
 * Variables of the orchestrator's environment (on ssh nodes: of the account's) that every job gets. Everything else is
 * kept from it, the address of our database for one. docs/nodes.md lists them for people.
 */
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
