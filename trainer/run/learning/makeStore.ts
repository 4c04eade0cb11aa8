import type { SessionOptions } from "#trainer/onnx/session.ts";
import { deviceStore } from "./deviceStore.ts";
import { hostStore } from "./hostStore.ts";
import type { Store } from "./store.ts";

/** On the device for WebGPU alone: only there does ONNX Runtime's binding keep tensors. */
export function makeStore(options: SessionOptions): Store {
  return options.executionProvider === "webgpu" ? deviceStore(options) : hostStore();
}
