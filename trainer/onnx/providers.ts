import * as ops from "#trainer/graph/ops.ts";
import { makeSession } from "./session.ts";
import { lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { env } from "onnxruntime-node";

/** Runs a minimal graph. Throws if the provider does not work; the call may also hang or end the process. */
export async function tryHere(executionProvider: string): Promise<void> {
  const cudaFolder = process.env["ARLARENA_CUDA"];
  if (executionProvider === "cuda" && cudaFolder) linkCuda(cudaFolder);
  const session = await makeSession({ y: ops.neg(ops.input("x", [1])) }, { executionProvider });
  const { y } = await session.run({ x: Float32Array.of(1) });
  await session.close();
  if (y[0] !== -1) throw new Error(`it computes ${y[0]} for -1`);
}

const files = ["libonnxruntime_providers_shared.so", "libonnxruntime_providers_cuda.so"];

/**
 * Links the CUDA provider's files from folder `from` (`ARLARENA_CUDA`) into the folder of ONNX Runtime's library, the
 * only place where ONNX Runtime looks for them. Throws if files are missing or of another version.
 */
export function linkCuda(from: string, into = libraryFolder(), version = env.versions.node ?? ""): void {
  const names = listNames(from);
  const missing = files.find((name) => !names.includes(name));
  if (missing !== undefined) throw new Error(`ARLARENA_CUDA: the folder ${from} has no ${missing}`);
  // The ONNX Runtime library in the folder has its version in its name. Two versions in one process would crash it.
  const [other] = names.flatMap((name) => /^libonnxruntime\.so\.(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? []);
  if (other !== undefined && other !== version) {
    throw new Error(`ARLARENA_CUDA: the files of ${from} are of ONNX Runtime ${other}, and the trainer has ${version}`);
  }
  for (const name of files) link(join(from, name), join(into, name));
}

function link(target: string, path: string): void {
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    // An existing regular file is kept. A link is replaced unless it already points to the target.
    if (there && (!there.isSymbolicLink() || readlinkSync(path) === target)) return;
    symlinkSync(target, `${path}.${process.pid}`);
    renameSync(`${path}.${process.pid}`, path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`ARLARENA_CUDA: ${target} cannot be linked beside ONNX Runtime: ${why}`, { cause: error });
  }
}

function libraryFolder(): string {
  const here = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
  return join(here, "bin/napi-v6", process.platform, process.arch);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`ARLARENA_CUDA: ${why}`, { cause: error });
  }
}
