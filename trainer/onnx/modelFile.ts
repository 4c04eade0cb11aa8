import { InferenceSession, Tensor } from "onnxruntime-node";
import { ortOptions } from "./options.ts";
import { toInt64 } from "./session.ts";

/** Language model loaded from an ONNX file: `tokens` (1, T) i64 → `logits` (1, T, V). */
export type TokenModel = {
  /** @returns logits of shape (T, V) */
  readonly run: (tokens: Int32Array) => Promise<Float32Array>;
  readonly close: () => Promise<void>;
};

export async function openTokenModel(path: string): Promise<TokenModel> {
  // Denormals stay: setting them to 0 affects the whole process, which also has other computations.
  const session = await InferenceSession.create(path, { ...ortOptions("cpu"), extra: {} });
  return {
    async run(tokens) {
      const { logits } = await session.run({ tokens: new Tensor("int64", toInt64(tokens), [1, tokens.length]) });
      if (logits?.data instanceof Float32Array) return logits.data;
      throw new TypeError(`${path} gives no float32 "logits"`);
    },
    close: () => session.release(),
  };
}
