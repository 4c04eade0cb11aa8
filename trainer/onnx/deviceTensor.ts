import type { Tensor as OrtTensor } from "onnxruntime-node";
import type { Shape } from "#trainer/graph/tensor.ts";

/**
 * Float32 numbers that stay where graphs compute. Like an array of this process it may change in place: whoever holds
 * it meets the new numbers. Its memory is the device's, which no garbage collector sees: close it.
 */
export class DeviceTensor {
  readonly shape: Shape;
  #tensor: OrtTensor;

  constructor(tensor: OrtTensor, shape: Shape) {
    this.shape = shape;
    this.#tensor = tensor;
  }

  /** As ONNX Runtime reads it. */
  get value(): OrtTensor {
    return this.#tensor;
  }

  /** Takes the numbers of another tensor of this shape, which nobody else may hold. */
  takeOver(other: DeviceTensor): void {
    this.#tensor.dispose();
    this.#tensor = other.#tensor;
  }

  close(): void {
    this.#tensor.dispose();
  }
}
