import type { SessionOptions } from "#trainer/onnx/session.ts";
import { deviceStore } from "./deviceStore.ts";
import { hostStore } from "./hostStore.ts";
import type { Store } from "./store.ts";

/** Makes a store, on the device only for WebGPU: no other provider's binding in ONNX Runtime keeps tensors. */
export function makeStore(options: SessionOptions): Store {
  return options.executionProvider === "webgpu" ? deviceStore(options) : hostStore();
}
