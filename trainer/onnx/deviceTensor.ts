import { arch, cpus, platform } from "node:os";
import { env, type Tensor as OrtTensor } from "onnxruntime-node";
import type { Shape } from "#trainer/graph/tensor.ts";

/**
 * Float32 tensor on the device of the execution provider. Like an array, it can be changed in place, and every
 * reference sees the new values. Device memory is not garbage-collected, so each tensor must be closed.
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

  /** Replaces the values by those of `other`, a tensor of the same shape that must have no other user. */
  takeOver(other: DeviceTensor): void {
    this.#tensor.dispose();
    this.#tensor = other.#tensor;
  }

  close(): void {
    this.#tensor.dispose();
  }
}

/** Returns a key of all that determines a graph's results bit by bit: version of ONNX Runtime, system and processor. */
export function placeOfComputation(): string {
  return [env.versions.node, platform(), arch(), cpus()[0]?.model].join("|");
}
