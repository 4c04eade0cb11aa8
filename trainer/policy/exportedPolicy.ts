import { readFile } from "node:fs/promises";
import { z } from "zod";
import { openTokenModel } from "#trainer/onnx/modelFile.ts";

/** Schema of the file `vocabulary.json` beside an exported policy, which names the word of each token. */
export const Vocabulary = z.object({
  v: z.literal(1),
  contextTokens: z.int().min(1),
  padToken: z.int(),
  bosToken: z.int(),
  eosToken: z.int(),
  words: z.array(z.string()),
});
export type Vocabulary = z.infer<typeof Vocabulary>;

/** Policy of a finished run, loaded from its exported files. */
export type ExportedPolicy = {
  readonly vocabulary: Vocabulary;
  /** Encodes words separated by spaces. A word outside the vocabulary becomes `<unk>`. */
  readonly encode: (words: string) => Int32Array;
  /** Returns the logits after each token except the first `skipped` ones: one array of vocabulary size per token. */
  readonly logitsAfter: (tokens: Int32Array, skipped: number) => Promise<Float32Array[]>;
  readonly close: () => Promise<void>;
};

export async function openPolicy(modelPath: string, vocabularyPath: string): Promise<ExportedPolicy> {
  const vocabulary = Vocabulary.parse(JSON.parse(await readFile(vocabularyPath, "utf8")));
  const { contextTokens, padToken, words } = vocabulary;
  const model = await openTokenModel(modelPath);
  const tokenOf = new Map(words.map((word, token) => [word, token]));
  const unknown = tokenOf.get("<unk>") ?? padToken;
  return {
    vocabulary,
    encode: (text) =>
      Int32Array.from(
        text.split(" ").filter((word) => word !== ""),
        (word) => tokenOf.get(word) ?? unknown,
      ),
    async logitsAfter(tokens, skipped) {
      if (tokens.length > contextTokens) {
        throw new RangeError(`${tokens.length} tokens exceed the policy's context of ${contextTokens}`);
      }
      const row = new Int32Array(contextTokens).fill(padToken);
      row.set(tokens);
      const logits = await model.run(row);
      const size = words.length;
      return Array.from({ length: tokens.length - skipped }, (_, i) =>
        logits.slice((skipped + i) * size, (skipped + i + 1) * size),
      );
    },
    close: model.close,
  };
}
