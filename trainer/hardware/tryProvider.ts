import { spawn } from "node:child_process";

/** Command-line argument that starts the trainer as a child process, only to try one execution provider. */
export const tryingOption = "--try-provider";
/** Line printed before the trial. `answerMark` precedes the error on a later line, or nothing if the provider works. */
export const beginMark = "ARLARENA-TRYING";
export const answerMark = "ARLARENA-PROVIDER ";

/** Time limits in ms: for an execution provider to answer, and for its child process to start on a busy machine. */
const usualPatience = { answerMs: 10_000, startMs: 40_000 };

type Trial = { why: string | null; isLate: boolean };

/**
 * Tries an ONNX Runtime execution provider in a child process, because a provider may hang or end its process. `why`
 * is the error, or null if the provider works; `isLate` is true if the time limit ended the trial.
 */
export async function tryProvider(name: string, { answerMs, startMs } = usualPatience): Promise<Trial> {
  const { stdout, stderr, signal, isLate } = await run([tryingOption, name], { answerMs, startMs });
  const line = stdout.split("\n").find((each) => each.startsWith(answerMark));
  const thrown = line?.slice(answerMark.length);
  // A driver that fails only at process exit has reported success before, so the provider works.
  if (thrown === "") return { why: null, isLate: false };
  if (thrown === undefined && isLate) {
    const hasBegun = stdout.includes(beginMark);
    const why = hasBegun ? `it gave no answer within ${answerMs / 1000} s` : "the machine is too busy to try it";
    return { why, isLate };
  }
  return { why: explainFailure({ thrown, stderr, signal }), isLate: false };
}

/** Throws unless the execution provider works on this machine. The CPU is not tried: the first graph shows it. */
export async function requireProvider(name: string): Promise<void> {
  if (name === "cpu") return;
  const { why } = await tryProvider(name);
  if (why !== null) throw new Error(`execution provider "${name}" does not work here: ${why}`);
}

type Ended = { stdout: string; stderr: string; signal: string | null; isLate: boolean };

/** Runs the trainer itself as a child process with the given arguments, and kills it at the time limit. */
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

type Failure = {
  thrown?: string | undefined;
  /** Standard error of ONNX Runtime and its libraries. Only this output names a missing library. */
  stderr: string;
  signal?: string | null | undefined;
};

export function explainFailure({ thrown, stderr, signal }: Failure): string {
  const known = explainLibrary(stderr) ?? explainDriver(`${stderr}\n${thrown ?? ""}`);
  if (known !== undefined) return known;
  if (thrown !== undefined) return `${firstSentence(thrown)}${explainVulkan(stderr)}`;
  if (signal) return `it ended the process that tried it (${signal})`;
  return lastLine(stderr) ?? "the process that tried it said nothing";
}

/** Explains why ONNX Runtime could not load a library; undefined if it names no such library. */
function explainLibrary(stderr: string): string | undefined {
  const [, provider = "", error = ""] = /Failed to load library (\S+) with error: (.*)/.exec(stderr) ?? [];
  const missing = /(?:^|\/)([^/\s]+): cannot open shared object file/.exec(error)?.[1];
  if (missing === undefined) return error === "" ? undefined : explainSymbol(error);
  if (provider.endsWith(missing)) {
    return `ONNX Runtime's file ${missing} is not there; the environment variable ARLARENA_CUDA names the folder that has it`;
  }
  if (missing === "libcuda.so.1") return "there is no NVIDIA driver: its library libcuda.so.1 cannot be found";
  return `the library ${missing} cannot be found; the environment variable LD_LIBRARY_PATH names the folders of such libraries`;
}

function explainSymbol(error: string): string {
  const symbol = /undefined symbol: (cu[A-Z]\w*)/.exec(error)?.[1];
  return symbol === undefined
    ? `its library cannot be loaded: ${error}`
    : `the NVIDIA driver is too old for CUDA 13, which needs 580 or newer: it has no ${symbol}`;
}

function explainDriver(text: string): string | undefined {
  if (/driver version is insufficient/i.test(text)) {
    return "the NVIDIA driver is too old for CUDA 13, which needs 580 or newer";
  }
  return /no CUDA-capable device/i.test(text) ? "the NVIDIA driver shows no GPU to this process" : undefined;
}

function explainVulkan(stderr: string): string {
  const missing = /Couldn't load Vulkan: (\S+): cannot open shared object file/.exec(stderr)?.[1];
  return missing === undefined ? "" : `; Vulkan's library ${missing} cannot be found`;
}

/** Returns the first sentence of an ONNX Runtime error, without source location; at most 200 characters. */
function firstSentence(message: string): string {
  const [text = ""] = message.replace(/^\/onnxruntime_src\/\S+ .*? was false\. /, "").split(/\.\s|\n/);
  return text.trim().slice(0, 200);
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1)?.trim().slice(0, 200) || undefined;
}
