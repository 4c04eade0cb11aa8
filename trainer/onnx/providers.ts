import * as ops from "#trainer/graph/ops.ts";
import { linkCuda } from "./linkCuda.ts";
import { makeSession } from "./session.ts";

/**
 * Throws ONNX Runtime's error unless the execution provider computes in this process. A built-in provider may still
 * lack a device, so the smallest graph is run. It may hang, and it may end the process.
 */
export async function tryHere(executionProvider: string): Promise<void> {
  const cudaFolder = process.env["ARLARENA_CUDA"];
  if (executionProvider === "cuda" && cudaFolder) linkCuda(cudaFolder);
  const session = await makeSession({ y: ops.neg(ops.input("x", [1])) }, { executionProvider });
  const { y } = await session.run({ x: Float32Array.of(1) });
  await session.close();
  if (y[0] !== -1) throw new Error(`it computes ${y[0]} for -1`);
}
