import { meanWeight } from "#trainer/objective/correction.ts";
import { correctionOf } from "#trainer/spec/correction.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { layOutResponses, packResponses } from "./batch.ts";
import type { UpdateRow } from "./credit.ts";

/** (B,) age of each row in iterations. The newest version is that of the previous iteration. */
export function agesOf(rows: readonly UpdateRow[], iteration: number): number[] {
  return rows.map(({ version = iteration - 1 }) => iteration - 1 - version);
}

/**
 * The mean correction weight of an iteration's rows, where minibatches divide by it. A correction that compares the
 * sampler with the current policy has its own mean in every minibatch, so the result is empty.
 */
export function meanWeightOf({ method, update }: RunSpec, rows: readonly UpdateRow[]): { meanWeight?: number } {
  const correction = correctionOf(method, update);
  if (!correction.weight?.normalise || correction.proximal !== "recomputed") return {};
  const { shape, mask } = layOutResponses(rows);
  const pack = (read: (row: UpdateRow) => ArrayLike<number>): Float32Array => packResponses(rows.map(read), shape);
  const [oldLogProbs, advantages] = [pack((row) => row.oldLogProbs), pack((row) => row.advantages)];
  const samplerLogProbs = pack((row) => row.samplerLogProbs);
  return {
    meanWeight: meanWeight(correction, {
      shape,
      mask,
      advantages,
      oldLogProbs,
      samplerLogProbs,
      logProbs: oldLogProbs,
    }),
  };
}
