import { z } from "zod";

/**
 * Rungs of a search, in iterations of a run or seeds of a configuration. For example, `least` 5, `factor` 3 and `most`
 * 60 give rungs at 5, 15, 45 and 60.
 */
export const Halving = z
  .strictObject({
    /** `halving` decides once a rung is full; `asha` promotes as soon as there is a candidate. */
    kind: z.enum(["halving", "asha"]),
    least: z.int().min(1),
    most: z.int().min(1),
    /** The best 1/factor of the configurations at a rung are promoted. */
    factor: z.number().min(2).max(100).default(3),
    /** Number of configurations that start at the first rung. */
    numEntered: z.int().min(1).max(10_000),
  })
  .refine(({ least, most }) => least <= most, { path: ["most"], error: "must be at least the first rung (least)" });
export type Halving = z.infer<typeof Halving>;

/** Lists the iterations or seeds of a configuration at each rung. The last rung is `most`, the full budget. */
export function listRungs({ least, most, factor }: Pick<Halving, "least" | "most" | "factor">): number[] {
  const rungs: number[] = [];
  for (let rung = least; rung < most; rung = Math.ceil(rung * factor)) rungs.push(rung);
  return [...rungs, most];
}

/** A configuration and its losses at the rungs it has reached; smaller is better. Infinity marks a collapse. */
export type Climber = { number: number; losses: readonly number[]; isRunning: boolean; isStopped?: boolean };

export type Step =
  | { do: "promote"; number: number; rung: number; reason: string }
  /** Starts a new configuration at the first rung. */
  | { do: "enter"; reason: string }
  /** Waits for a further result, without which no decision is possible. */
  | { do: "wait" }
  | { do: "end" };

/**
 * Decides the next step when a worker is free. Successive halving promotes the best 1/factor of a full rung.
 * Asynchronous successive halving (Li et al., arXiv:1810.05934, algorithm 2) looks from the top rung down for a
 * candidate among the best 1/factor so far. Without a candidate, a new configuration starts.
 */
export function decideStep(halving: Halving, climbers: readonly Climber[]): Step {
  const rungs = listRungs(halving);
  for (let rung = rungs.length - 2; rung >= 0; rung--) {
    const found = findPromotion(halving, climbers, rung);
    if (found === undefined) continue;
    const reason = `${found.place} of ${found.of} at rung ${rung + 1} (${rungs[rung]})`;
    return { do: "promote", number: found.number, rung: rung + 1, reason };
  }
  if (climbers.length < halving.numEntered) return { do: "enter", reason: "no trial can be promoted" };
  return climbers.some(({ isRunning }) => isRunning) ? { do: "wait" } : { do: "end" };
}

function findPromotion(halving: Halving, climbers: readonly Climber[], rung: number) {
  const there = climbers.filter(({ losses }) => losses.length > rung);
  if (halving.kind === "halving" && there.length < sizeOf(halving, rung)) return undefined;
  // Loss by which a configuration ranks at the rung; those that diverged or have no measurement rank last.
  const lossOf = ({ losses }: Climber): number => (Number.isNaN(losses[rung]) ? Infinity : (losses[rung] ?? Infinity));
  const best = there.toSorted((a, b) => compare(lossOf(a), lossOf(b)) || a.number - b.number);
  const candidates = best.slice(0, Math.floor(there.length / halving.factor));
  const place = candidates.findIndex(
    (one) => one.losses.length === rung + 1 && !one.isRunning && !one.isStopped && lossOf(one) < Infinity,
  );
  const found = candidates[place];
  return found && { number: found.number, place: place + 1, of: there.length };
}

/**
 * Returns the number of configurations at a full rung of (synchronous) successive halving: numEntered / factor^rung,
 * rounded down at each rung.
 */
function sizeOf({ numEntered, factor }: Halving, rung: number): number {
  let size = numEntered;
  for (let i = 0; i < rung; i++) size = Math.floor(size / factor);
  return size;
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
