import { arch, cpus, platform } from "node:os";
import { env } from "onnxruntime-node";

/** Where the same graphs and numbers give the same bits: the version of ONNX Runtime, the system and the processor. */
export function placeOfComputation(): string {
  return [env.versions.node, platform(), arch(), cpus()[0]?.model].join("|");
}
