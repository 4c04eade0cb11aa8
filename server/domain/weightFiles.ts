/** A language model's weights in one file, and what names the files of one that has several. */
export const wholeWeights = "model.safetensors";
export const weightIndex = "model.safetensors.index.json";
/** One of several: which, and of how many. */
export type ShardName = `model-${string}.safetensors`;

const shardPattern = /^model-\d{5}-of-(\d{5})\.safetensors$/;

export function isShardName(name: string): name is ShardName {
  return shardPattern.test(name);
}

export function isWeights(name: string): boolean {
  return name === wholeWeights || isShardName(name);
}

/** Whether files of one folder are all of a model's weights. */
export function hasWeights(names: readonly string[]): boolean {
  if (names.includes(wholeWeights)) return true;
  const shards = new Set(names.filter(isShardName));
  const [numShards] = [...shards].map((name) => Number(shardPattern.exec(name)?.[1]));
  return names.includes(weightIndex) && shards.size === numShards;
}
