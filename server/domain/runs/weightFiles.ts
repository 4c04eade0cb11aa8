/** File with all weights of a language model; `weightIndex` is the index file of weights in several shards. */
export const wholeWeights = "model.safetensors";
export const weightIndex = "model.safetensors.index.json";
/** Name of one shard of a model's weights: its index and the number of shards. */
export type ShardName = `model-${string}.safetensors`;

const shardPattern = /^model-\d{5}-of-(\d{5})\.safetensors$/;

export function isShardName(name: string): name is ShardName {
  return shardPattern.test(name);
}

export function isWeights(name: string): boolean {
  return name === wholeWeights || isShardName(name);
}

/** Returns true if a folder with these file names contains a model's complete weights. */
export function hasWeights(names: readonly string[]): boolean {
  if (names.includes(wholeWeights)) return true;
  const shards = new Set(names.filter(isShardName));
  const [numShards] = [...shards].map((name) => Number(shardPattern.exec(name)?.[1]));
  return names.includes(weightIndex) && shards.size === numShards;
}
