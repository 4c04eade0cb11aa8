import { arch, cpus, platform } from "node:os";
import { env } from "onnxruntime-node";

/** Conditions for bitwise equal results of a graph: version of ONNX Runtime, system and processor. */
export function placeOfComputation(): string {
  return [env.versions.node, platform(), arch(), cpus()[0]?.model].join("|");
}
