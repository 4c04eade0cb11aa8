import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const token = z.int().min(0);
const Ends = z.looseObject({ eos_token_id: z.union([token, z.array(token)]).nullish() });

/**
 * Every token that ends the model's text, the tokenizer's end token first. As in transformers, those of
 * `generation_config.json` replace those of `config.json`. Often both the chat's end token and the text's are included.
 */
export function readStopTokens(folder: string, eosToken: number): readonly number[] {
  const generation = readEnds(join(folder, "generation_config.json"));
  return [...new Set([eosToken, ...(generation ?? readEnds(join(folder, "config.json")) ?? [])])];
}

function readEnds(path: string): readonly number[] | undefined {
  if (!existsSync(path)) return undefined;
  const result = Ends.safeParse(parse(path));
  if (!result.success) throw new Error(`${path} cannot be read\n${z.prettifyError(result.error)}`);
  const { eos_token_id: ends } = result.data;
  return typeof ends === "number" ? [ends] : (ends ?? undefined);
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
