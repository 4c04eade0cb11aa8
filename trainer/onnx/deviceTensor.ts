import { arch, cpus, platform } from "node:os";
import { env, type Tensor as OrtTensor } from "onnxruntime-node";
import type { Shape } from "#trainer/graph/tensor.ts";

/**
 * Float32 values on the device of the graphs. Like an array, the tensor can be mutated in place, and all holders see
 * the new values. Device memory is not garbage-collected, so each tensor must be closed.
 */
export class DeviceTensor {
  readonly shape: Shape;
  #tensor: OrtTensor;

  constructor(tensor: OrtTensor, shape: Shape) {
    this.shape = shape;
    this.#tensor = tensor;
  }

  get value(): OrtTensor {
    return this.#tensor;
  }

  /** Replaces the values by those of another tensor with the same shape, which must have no other holder. */
  takeOver(other: DeviceTensor): void {
    this.#tensor.dispose();
    this.#tensor = other.#tensor;
  }

  close(): void {
    this.#tensor.dispose();
  }
}

/** Conditions for bitwise equal results of a graph: version of ONNX Runtime, system and processor. */
export function placeOfComputation(): string {
  return [env.versions.node, platform(), arch(), cpus()[0]?.model].join("|");
}
