import { isCollapse, labelPoints, type Point, toEffective } from "#packages/detector";
import { type Rng, split } from "#trainer/spec/rng.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { type Cause, causes } from "../causes.ts";
import { diagnose } from "../diagnose.ts";
import { type FaultRecord, toPoints } from "./record.ts";
import { simulate, type Simulated, simulated } from "./simulate.ts";

/** Outcomes of the diagnosis for one kind of fault. Runs that did not collapse are not diagnosed. */
export type ConfusionRow = {
  faults: string;
  source: "trained" | "recorded" | "simulated";
  numRuns: number;
  numCollapsed: number;
  /** All faults named and nothing else, some faults named and nothing else, none named, something else named. */
  right: number;
  partly: number;
  notFound: number;
  wrong: number;
  /** Wrong causes that were named, with their numbers. */
  named: string;
};

type Run = { faults: readonly string[]; source: ConfusionRow["source"]; points: readonly Point[]; spec: CellSpec };

/** Episodes behind each success rate of the recorded runs: 8 groups of 8, 128 held-out tasks. */
const effective = toEffective({ numEpisodes: 64, groupSize: 8, numHeldOut: 128 });
const numSimulated = 30;
const pairs = simulated.flatMap((one, i) =>
  one === "none" ? [] : simulated.slice(i + 1).flatMap((other) => (other === "none" ? [] : [[one, other] as const])),
);

/** Diagnoses the runs of one part, and healthy runs with simulated faults; one row per kind of fault. */
export function tabulate(records: readonly FaultRecord[], part: FaultRecord["part"]): ConfusionRow[] {
  const own = records.filter((one) => one.part === part);
  const healthy = own.filter(({ faults }) => faults.length === 0);
  const real = own.filter(({ faults }) => faults.length > 0).map((one): Run => ({ ...one, points: toPoints(one) }));
  const add = (faults: readonly Simulated[], rng: Rng): Run[] => {
    const base = healthy[rng.int(healthy.length)];
    if (!base) return [];
    const points = faults.reduce<Point[]>((all, fault) => simulate(fault, all, rng), toPoints(base));
    return [{ faults: faults.filter((fault) => fault !== "none"), source: "simulated", points, spec: base.spec }];
  };
  const made = simulated.flatMap((fault) =>
    Array.from({ length: numSimulated }, (_, i) => add([fault], split(0, `${part} ${fault}`, i))).flat(),
  );
  const doubled = pairs.flatMap((faults) =>
    [0, 1].flatMap((i) => add(faults, split(0, `${part} ${faults.join("+")}`, i))),
  );
  const rows = new Map<string, Run[]>();
  for (const run of [...real, ...made, ...doubled]) {
    const isPair = run.source === "simulated" && run.faults.length > 1;
    const title = isPair ? "two of these" : run.faults.map(nameFault).join(" + ") || "unknown cause";
    const key = `${title}|${run.source}`;
    rows.set(key, [...(rows.get(key) ?? []), run]);
  }
  return [...rows].map(([key, runs]) => toRow(key.split("|")[0] ?? "", runs));
}

function toRow(faults: string, runs: readonly Run[]): ConfusionRow {
  const row = { right: 0, partly: 0, notFound: 0, wrong: 0 };
  const named = new Map<string, number>();
  let numCollapsed = 0;
  for (const { faults: known, points, spec } of runs) {
    // A declared change restarts the label, so the label of the evaluation is of the run without the declaration.
    const label = labelPoints(
      points.map(({ iteration, values }) => ({ iteration, values })),
      effective,
    );
    const found = isCollapse(label) ? diagnose({ points, spec, label }) : undefined;
    if (!found) continue;
    numCollapsed += 1;
    const all: readonly string[] = found.findings.map(({ cause }) => cause);
    const others = all.filter((cause) => !known.includes(cause));
    for (const cause of others) named.set(nameFault(cause), (named.get(nameFault(cause)) ?? 0) + 1);
    if (others.length > 0) row.wrong += 1;
    else if (all.length === known.length) row.right += 1;
    else if (all.length === 0) row.notFound += 1;
    else row.partly += 1;
  }
  const list = [...named].map(([cause, n]) => `${n} × ${cause}`).join(", ");
  return { faults, source: runs[0]?.source ?? "recorded", numRuns: runs.length, numCollapsed, ...row, named: list };
}

function nameFault(fault: string): string {
  return isCause(fault) ? causes[fault] : fault;
}

function isCause(fault: string): fault is Cause {
  return Object.hasOwn(causes, fault);
}

/** Prints the table as Markdown. */
export function printConfusion(rows: readonly ConfusionRow[]): string {
  const header = ["fault", "source", "runs", "collapsed", "right", "one of two", "not found", "wrong", "named instead"];
  const cells = rows.map((row) => [
    row.faults,
    row.source,
    row.numRuns,
    row.numCollapsed,
    row.right,
    row.partly,
    row.notFound,
    row.wrong,
    row.named || "–",
  ]);
  return [header, header.map(() => "---"), ...cells].map((one) => `| ${one.join(" | ")} |`).join("\n");
}
