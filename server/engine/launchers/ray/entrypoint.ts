import { quoteArgument } from "#packages/base";

/** Folders into which Ray unpacks a job's packages. */
export type Unpacked = { tools: string; job: string; wheels: string | undefined };

/**
 * Shell command of a Ray job. Package locations are known only from `PYTHONPATH`, and an archive has no execute
 * permission. `exec`: signals reach the courier, and Ray sees its exit code.
 */
export function entrypointText({ tools, job, wheels }: Unpacked, node: string | undefined): string {
  const names = { tools, job, ...(wheels !== undefined && { wheels }) };
  const cases = Object.entries(names).map(([variable, name]) => `*/${name}) ${variable}=$each ;;`);
  const program = node === undefined ? '"$tools/bin/node"' : quoteArgument(node);
  return [
    "set -f; IFS=:",
    `for each in $PYTHONPATH; do case $each in ${cases.join(" ")} esac; done`,
    "unset IFS",
    ...(node === undefined ? [`chmod +x ${program}`] : []),
    `exec ${program} "$tools/courier.mjs" "$tools" "$job"${wheels === undefined ? "" : ' "$wheels"'}`,
  ].join("; ");
}
