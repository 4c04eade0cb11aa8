import { chanceOf } from "#trainer/spec/origin.ts";
import { split } from "#trainer/spec/rng.ts";
import { rolloutShapeOf } from "#trainer/spec/rowTokens.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { type Fate, type GroupToken, notRecorded, summariseGroup } from "#trainer/spec/keptGroup.ts";
import { countToken, emptyCounts, type TokenCounts } from "#trainer/spec/tokenBins.ts";
import type { Actor } from "#trainer/run/acting/actor.ts";
import type { Collection } from "#trainer/run/acting/collect.ts";
import type { GroupRecord, TurnRecord } from "#trainer/run/acting/rollout.ts";
import type { GroupFile } from "#trainer/run/keeping/groupFile.ts";
import { unpackResponses } from "./batch.ts";
import type { UpdateRow } from "./credit.ts";
import { toSequences } from "./sequences.ts";
import { type SeenRow, type TokenLosses, tokenLosses } from "./tokenLosses.ts";
import type { LossPass } from "./update.ts";

/** Groups of one iteration that are kept with all their numbers; `watch` collects those of their loss. */
export type Keeping = { watch: (pass: LossPass) => void; write: (actor: Actor) => Promise<void> };

type Iteration = {
  iteration: number;
  rollouts: Pick<Collection, "generated" | "kept">;
  /** Rows of the kept groups in order, as `creditRows` returns them. */
  rows: readonly UpdateRow[];
};

/** Chooses the iteration's groups by a random stream of its own; undefined if none are due or all are in the file. */
export function keepGroups(spec: RunSpec, all: Iteration, file: GroupFile | undefined): Keeping | undefined {
  const { iteration, rollouts } = all;
  const shape = rolloutShapeOf(spec);
  const { every, number } = spec.execution.groups ?? usual;
  if (!file || every === 0 || iteration % every !== 0 || file.has(iteration)) return undefined;
  const rng = split(chanceOf(spec), "groups", iteration);
  const keyed = [...rollouts.generated.keys()].map((group) => ({ group, key: rng.next() }));
  const chosen = keyed.toSorted((a, b) => a.key - b.key).slice(0, number);
  const seen = new Map<UpdateRow, SeenRow | undefined>();
  const groups = chosen.flatMap(({ group }) => {
    const record = rollouts.generated[group];
    return record ? [{ group, record, rows: rowsOf(record, all, shape) }] : [];
  });
  for (const row of groups.flatMap((one) => one.rows ?? [])) if (row) seen.set(row, undefined);
  const logRatios = new Map<UpdateRow, Float64Array>();
  return {
    watch: (pass) => {
      see(pass, seen);
      noteRatios(pass, logRatios);
    },
    async write(actor) {
      const losses = await lossesOf(spec, seen);
      const trained = countTrained(logRatios);
      file.write(
        groups.map(({ group, record, rows: own }, i) => {
          const { seed, successes, part } = record;
          const taskType = record.episodes[0]?.taskType;
          const described = {
            iteration,
            group,
            task: seed,
            successes,
            ...(taskType !== undefined && { taskType }),
            ...(part && { part: part.name }),
          };
          const tokens = listTokens({ iteration, shape, record, rows: own, losses }, actor);
          const head = summariseGroup(described, tokens);
          return { head: { ...head, ...(i === 0 && trained && { trained }) }, tokens };
        }),
      );
    },
  };
}

const usual = { every: 5, number: 1 };

/**
 * Returns a group's training rows, one per turn or per episode; undefined if the sampling filter dropped the group, or
 * where an episode was discarded for its age.
 */
function rowsOf(
  record: GroupRecord,
  { rollouts: { kept }, rows }: Iteration,
  shape: RolloutShape,
): readonly (UpdateRow | undefined)[] | undefined {
  // Groups with a greedy episode or without stale ones are copies, which share their episodes.
  const own = new Set(record.episodes);
  const index = kept.findIndex(({ episodes }) => episodes.some((episode) => own.has(episode)));
  const group = kept[index];
  if (!group) return undefined;
  const from = kept.slice(0, index).reduce((sum, one) => sum + sequencesOf(one, shape).length, 0);
  const rowOf = new Map(sequencesOf(group, shape).map(({ turns }, i) => [turns[0], rows[from + i]]));
  return sequencesOf(record, shape).map(({ turns }) => rowOf.get(turns[0]));
}

/** Stores the loss of the rows that are kept; a later epoch replaces an earlier one. */
function see(pass: LossPass, seen: Map<UpdateRow, SeenRow | undefined>): void {
  if (!pass.rows.some((row) => seen.has(row))) return;
  const cut = (values: Float32Array) => unpackResponses(pass.rows, values, pass.shape);
  const [logProbs, anchors] = [cut(pass.logProbs), cut(pass.oldLogProbs)];
  const [weights, signals] = [cut(pass.policyWeights), cut(pass.signal)];
  for (const [i, row] of pass.rows.entries()) {
    if (!seen.has(row)) continue;
    const [anchorLogProbs, signal] = [anchors[i] ?? none, signals[i] ?? none];
    const isKept = pass.kept?.[i] ?? true;
    seen.set(row, { row, logProbs: logProbs[i] ?? none, anchorLogProbs, weights: weights[i] ?? none, signal, isKept });
  }
}

const none = new Float32Array(0);

/** Stores the log-ratio of every token before the optimizer step; a later epoch replaces an earlier one. */
function noteRatios({ rows, shape, logProbs, oldLogProbs }: LossPass, logRatios: Map<UpdateRow, Float64Array>): void {
  const [now, old] = [unpackResponses(rows, logProbs, shape), unpackResponses(rows, oldLogProbs, shape)];
  for (const [i, row] of rows.entries()) {
    logRatios.set(
      row,
      Float64Array.from(now[i] ?? none, (x, t) => x - (old[i]?.[t] ?? NaN)),
    );
  }
}

function countTrained(logRatios: ReadonlyMap<UpdateRow, Float64Array>): TokenCounts | undefined {
  if (logRatios.size === 0) return undefined;
  const counts = emptyCounts();
  for (const [{ advantages }, ratios] of logRatios) {
    for (const [t, logRatio] of ratios.entries()) countToken(counts, { logRatio, advantage: advantages[t] ?? NaN });
  }
  return counts;
}

type RowLosses = SeenRow & TokenLosses;

async function lossesOf(
  { method }: RunSpec,
  seen: ReadonlyMap<UpdateRow, SeenRow | undefined>,
): Promise<Map<UpdateRow, RowLosses>> {
  const trained = [...seen].flatMap(([key, one]) => (one ? [{ key, one }] : []));
  const losses = await tokenLosses(
    method,
    trained.map(({ one }) => one),
  );
  return new Map(trained.flatMap(({ key, one }, i) => (losses[i] ? [[key, { ...one, ...losses[i] }]] : [])));
}

type Numbers = {
  iteration: number;
  shape: RolloutShape;
  record: GroupRecord;
  rows: readonly (UpdateRow | undefined)[] | undefined;
  losses: ReadonlyMap<UpdateRow, RowLosses>;
};

/** Lists the tokens of a group in order: of each turn the prompt, then the response. */
function listTokens({ iteration, shape, record, rows, losses }: Numbers, actor: Actor): GroupToken[] {
  return sequencesOf(record, shape).flatMap(({ turns, episode, index }, i) => {
    const { version, episodeReward } = episode;
    const behind = version === undefined ? 0 : iteration - 1 - version;
    const row = rows?.[i];
    let from = 0;
    return turns.flatMap((turn) => {
      const place = { episode: index, turn: turn.turn, reward: turn.reward, return: episodeReward, behind };
      const text = actor.transcribe(turn.prompt, record.part?.family);
      const dropped = rows ? "maskedRow" : "maskedGroup";
      const response = listResponse({ turn, row, losses: row && losses.get(row), from, dropped }, actor);
      from += turn.response.length;
      return [{ ...notRecorded, ...place, role: "prompt", text }, ...response.map((token) => ({ ...token, ...place }))];
    });
  });
}

/** Returns the training rows of a group as lists of turns, in the order of `creditRows`. */
function sequencesOf({ episodes }: GroupRecord, shape: RolloutShape) {
  return episodes.flatMap((episode, index) =>
    toSequences(episode.turns, shape).map((turns) => ({ turns, episode, index })),
  );
}

type Response = {
  turn: TurnRecord;
  row: UpdateRow | undefined;
  losses: RowLosses | undefined;
  /** Index of the turn's first token in its row. */
  from: number;
  /** Fate of the turn if it has no row. */
  dropped: Fate;
};

function listResponse({ turn, row, losses, from, dropped }: Response, actor: Actor) {
  const words = actor.words(turn.response);
  return Array.from(turn.response, (id, t): Omit<GroupToken, "episode" | "turn" | "reward" | "return" | "behind"> => {
    const at = from + t;
    const lost = losses && {
      logProb: losses.logProbs[at] ?? null,
      ratio: losses.ratios[at] ?? null,
      weight: losses.weights[at] ?? null,
      loss: losses.losses[at] ?? null,
      gradient: losses.gradients[at] ?? null,
      fate: losses.fates[at] ?? null,
    };
    return {
      ...notRecorded,
      role: "response",
      text: words[t] ?? "",
      id,
      samplerLogProb: turn.samplerLogProbs[t] ?? null,
      oldLogProb: row?.oldLogProbs[at] ?? null,
      advantage: row?.advantages[at] ?? null,
      ...(row ? lost : { fate: dropped }),
    };
  });
}
