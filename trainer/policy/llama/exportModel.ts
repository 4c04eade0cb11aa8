import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeCheckpoint } from "../checkpoint.ts";
import type { LlamaConfig } from "../config.ts";
import type { Parameters } from "../parameters.ts";
import { toTensors } from "./weights.ts";

/** Everything beside the weights that a model is loaded with; not every model has all of them. */
const companions = [
  "tokenizer.json",
  "tokenizer_config.json",
  "special_tokens_map.json",
  "chat_template.jinja",
  "generation_config.json",
];

/**
 * Writes the folder `model`: weights in single precision, and of the model that training started from its configuration
 * and its tokenizer, so that transformers loads it.
 */
export function exportModel(
  { from, to }: { from: string; to: string },
  config: LlamaConfig,
  parameters: Parameters,
): void {
  const [draft, folder] = [join(to, "model.draft"), join(to, "model")];
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    const tensors = toTensors(config, parameters);
    writeFileSync(join(draft, "model.safetensors"), encodeCheckpoint({ tensors, metadata: { format: "pt" } }));
    const { torch_dtype: _, ...own } = JSON.parse(readFileSync(join(from, "config.json"), "utf8"));
    writeFileSync(join(draft, "config.json"), `${JSON.stringify({ ...own, dtype: "float32" }, null, 2)}\n`);
    for (const name of companions) {
      if (existsSync(join(from, name))) copyFileSync(join(from, name), join(draft, name));
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } catch (error) {
    // Megabytes that a full disk had no room for, and that nobody would look at.
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}
