import type { SessionOptions } from "#trainer/onnx/session.ts";
import { deviceStore } from "./deviceStore.ts";
import { hostStore } from "./hostStore.ts";
import type { Store } from "./store.ts";

/** ONNX Runtime's binding keeps tensors on the device only for WebGPU. Otherwise values are arrays of this process. */
export function makeStore(options: SessionOptions): Store {
  return options.executionProvider === "webgpu" ? deviceStore(options) : hostStore();
}
