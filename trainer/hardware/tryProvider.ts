import { spawn } from "node:child_process";
import { explainFailure } from "./explainFailure.ts";

/** Argument with which the trainer tries one execution provider. */
export const tryingOption = "--try-provider";
/** Marks printed before the attempt and before its result, which is empty where the provider works. */
export const beginMark = "ARLARENA-TRYING";
export const answerMark = "ARLARENA-PROVIDER ";

/** Time limits of the provider, and of the process start before it on a busy machine. */
const usualPatience = { answerMs: 10_000, startMs: 40_000 };

type Trial = { why: string | null; isLate: boolean };

/**
 * Tries an execution provider on this machine. A provider may hang or end its process, so a separate process tries it,
 * for at most ten seconds. `why` is null when it works.
 */
export async function tryProvider(name: string, { answerMs, startMs } = usualPatience): Promise<Trial> {
  const { stdout, stderr, signal, isLate } = await run([tryingOption, name], { answerMs, startMs });
  const line = stdout.split("\n").find((each) => each.startsWith(answerMark));
  const thrown = line?.slice(answerMark.length);
  // A driver that fails at process exit has reported success before.
  if (thrown === "") return { why: null, isLate: false };
  if (thrown === undefined && isLate) {
    const hasBegun = stdout.includes(beginMark);
    const why = hasBegun ? `it gave no answer within ${answerMs / 1000} s` : "the machine is too busy to try it";
    return { why, isLate };
  }
  return { why: explainFailure({ thrown, stderr, signal }), isLate: false };
}

/** Throws unless the execution provider works here. The CPU always does, or the first graph reports why not. */
export async function requireProvider(name: string): Promise<void> {
  if (name === "cpu") return;
  const { why } = await tryProvider(name);
  if (why !== null) throw new Error(`execution provider "${name}" does not work here: ${why}`);
}

type Ended = { stdout: string; stderr: string; signal: string | null; isLate: boolean };

/** Runs this program again, and kills it at the time limit. */
async function run(args: readonly string[], { answerMs, startMs }: typeof usualPatience): Promise<Ended> {
  const [program = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = { stdout: "", stderr: "", isLate: false };
  const kill = (): void => {
    ended.isLate = true;
    child.kill("SIGKILL");
  };
  let deadline = setTimeout(kill, startMs);
  child.stderr.setEncoding("utf8").on("data", (text: string) => (ended.stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (!ended.stdout.includes(beginMark) && text.includes(beginMark)) {
      clearTimeout(deadline);
      deadline = setTimeout(kill, answerMs);
    }
    ended.stdout += text;
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (_, signal) => resolve({ ...ended, signal }));
    });
  } finally {
    clearTimeout(deadline);
  }
}
