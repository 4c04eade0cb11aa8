import type { CellSpec } from "#trainer/spec/run.ts";
import { groupBy } from "#packages/base";
import { type Calibration, calibrationOf } from "#server/domain/plan/sweep/estimate/calibration.ts";
import { estimateRunSeconds, type Known, type ModelSizes } from "#server/domain/plan/sweep/estimate/estimate.ts";
import type { CostGroup } from "./format.ts";
import { type Account, accountFor, addUp, type AttemptUse, type Spent } from "./account.ts";

export type Use = AttemptUse & {
  sweepId: string;
  sweepName: string;
  method: string;
  /** User who launched the attempt's sweep; null if unknown. */
  person: string | null;
  node: string;
  /** True for a branch, start or search trial, whose cost is no method's cost. */
  isDependent: boolean;
};

/** Iterations that unfinished runs of one cell still have to train. */
export type OpenWork = Pick<Use, "sweepId" | "sweepName" | "method" | "person" | "slots" | "isDependent"> & {
  iterationsLeft: number;
  iterationsPlanned: number;
  spec: CellSpec;
};

export type CostRow = Account & {
  /** Key of a group of costs: id of a sweep, or name of a method, user or node; "" for an unknown user. */
  key: string;
  title: string;
  /** Estimated remaining cost; null if unknown, which is always so when costs are grouped by node. */
  left: Spent | null;
};

export type Costs = { by: CostGroup; rows: CostRow[]; total: CostRow };

type Ledger = {
  uses: readonly Use[];
  open: readonly OpenWork[];
  calibrations: readonly Calibration[];
  models: ModelSizes;
  /** Price per slot-hour if all configured nodes have the same price; null otherwise. */
  commonPrice: number | null;
};

export function summariseCosts(ledger: Ledger, by: CostGroup): Costs {
  const { uses, open } = ledger;
  const isMixed = [...uses, ...open].some(({ isDependent }) => !isDependent);
  const keyOf = (one: OpenWork | Use) =>
    by === "method" && one.isDependent && isMixed ? dependentGroup : groupKeyOf(one, by);
  const left = forecastLeft(ledger);
  const used = groupBy(uses, (use) => keyOf(use).key);
  const waiting = by === "node" ? new Map<string, OpenWork[]>() : groupBy(open, (work) => keyOf(work).key);
  const rows = [...new Set([...used.keys(), ...waiting.keys()])].map((key): CostRow => {
    const ofKey = used.get(key) ?? [];
    const [first] = [...ofKey, ...(waiting.get(key) ?? [])];
    const title = first === undefined ? key : keyOf(first).title;
    const leftHere = by === "node" ? null : addUpLeft((waiting.get(key) ?? []).map((work) => left.get(work) ?? null));
    return { key, title, ...accountFor(ofKey), left: leftHere };
  });
  const total = { key: "", title: "All", ...accountFor(uses), left: addUpLeft([...left.values()]) };
  return { by, rows: rows.toSorted((a, b) => b.used.slotHours - a.used.slotHours), total };
}

const dependentGroup = { key: "dependent runs", title: "Branches, starts and search trials" };

function groupKeyOf(one: OpenWork | Use, by: CostGroup): { key: string; title: string } {
  if (by === "sweep") return { key: one.sweepId, title: one.sweepName };
  if (by === "person") return { key: one.person ?? "", title: one.person ?? "No person recorded" };
  const name = by === "node" && "node" in one ? one.node : one.method;
  return { key: name, title: name };
}

/**
 * Estimates the slot-hours that unfinished runs still need. The estimate uses the measured hours per iteration of the
 * same sweep and method, or else the calibrated estimate for the cell. The price is the sweep's mean price so far.
 */
function forecastLeft({ uses, open, commonPrice, ...known }: Ledger): Map<OpenWork, Spent | null> {
  const usesOf = groupBy(uses, ({ sweepId }) => sweepId);
  return new Map(
    open.map((work) => {
      const ofSweep = usesOf.get(work.sweepId) ?? [];
      const { slotHours, cost } = accountFor(ofSweep).used;
      const price = slotHours === 0 ? commonPrice : cost === null ? null : cost / slotHours;
      const perIteration =
        measurePace(ofSweep.filter(({ method }) => method === work.method)) ?? guessPace(work, known);
      if (perIteration === undefined) return [work, null];
      return [work, addUp([{ hours: perIteration * work.iterationsLeft, price }])];
    }),
  );
}

/** Returns the slot-hours per iteration of some attempts; undefined if no iteration was logged. */
function measurePace(uses: readonly Use[]): number | undefined {
  const lengths = uses.map(({ firstIteration: first, lastIteration: last }) => {
    return first === null || last === null ? 0 : Math.max(0, last - first + 1);
  });
  const numIterations = lengths.reduce((sum, length) => sum + length, 0);
  return numIterations === 0 ? undefined : accountFor(uses).used.slotHours / numIterations;
}

function guessPace({ spec, slots, iterationsPlanned }: OpenWork, { calibrations, models }: Known) {
  if (spec.trainer !== undefined || iterationsPlanned === 0) return undefined;
  const seconds = estimateRunSeconds(spec, models) * (calibrationOf(spec, calibrations)?.median ?? 1);
  if (Number.isNaN(seconds)) return undefined;
  return (slots * seconds) / 3600 / iterationsPlanned;
}

function addUpLeft(parts: readonly (Spent | null)[]): Spent | null {
  let [slotHours, cost]: [number, number | null] = [0, 0];
  for (const part of parts) {
    if (part === null) return null;
    slotHours += part.slotHours;
    cost = cost === null || part.cost === null ? null : cost + part.cost;
  }
  return { slotHours, cost };
}
