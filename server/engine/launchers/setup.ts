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
