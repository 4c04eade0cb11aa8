import { expect, it } from "vitest";
import { hasWeights } from "./weightFiles.ts";

const index = "model.safetensors.index.json";
const shard = (i: number, of = 2): string => `model-0000${i}-of-0000${of}.safetensors`;

it.each<[boolean, string, string[]]>([
  [true, "one file", ["config.json", "model.safetensors"]],
  [true, "all shards and their index", [shard(1), index, shard(2)]],
  [false, "nothing", []],
  [false, "adapters alone", ["adapter_model.safetensors", "config.json"]],
  [false, "shards that nothing names", [shard(1), shard(2)]],
  [false, "an index alone", [index, "config.json"]],
  [false, "one shard of two, also when it is listed twice", [shard(1), shard(1), index]],
])("%s: a folder with %s has a model's weights", (expected, _, names) => {
  expect(hasWeights(names)).toBe(expected);
});
