import type { SessionOptions } from "#trainer/onnx/session.ts";
import { deviceStore } from "./deviceStore.ts";
import { hostStore } from "./hostStore.ts";
import type { Store } from "./store.ts";

/**
 * Makes the store of parameters: on the device for WebGPU, the only provider for which ONNX Runtime's binding keeps
 * tensors there; otherwise in host memory.
 */
export function makeStore(options: SessionOptions): Store {
  return options.executionProvider === "webgpu" ? deviceStore(options) : hostStore();
}
