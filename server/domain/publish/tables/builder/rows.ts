import { canonicalJson } from "#trainer/spec/canonical.ts";
import { groupBy } from "#packages/base";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { BuilderInput, BuilderRun, BuilderCell } from "./input.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";

export type LaidRow = {
  /** Unique name, by which options refer to the row. */
  key: string;
  method: string;
  /** Axis values, and the sweep's name if needed to distinguish the row. */
  setting: string;
  cells: readonly PlacedCell[];
  /** Runs by environment, one per seed. */
  runs: ReadonlyMap<string, readonly BuilderRun[]>;
  /** Seeds of several sweeps: the first finished run is used, else the first ended. */
  repeated: ReadonlyMap<string, readonly number[]>;
};

/**
 * `joined`: a configuration of several sweeps is one row with all seeds. `apart`: each sweep has its own rows. `down`:
 * every cell is a row, so that environments are below each other.
 */
export type RowKind = "joined" | "apart" | "down";

export type LaidRows = { rows: LaidRow[]; environments: string[] };

export function layRows(input: BuilderInput, kind: RowKind): LaidRows {
  return kind === "joined" ? layJoined(input) : layApart(input, kind);
}

/**
 * Joins seeds of equal configurations. Different configurations with equal names stay separate, since only runs of one
 * configuration may be averaged.
 */
function layJoined({ sweeps, cells, runs }: BuilderInput): LaidRows {
  const placed = placeCells({ cells, runs });
  const settings = nameSettings(placed, nameSweeps(sweeps));
  const keyed = placed.map((cell, i) => ({ cell, key: [cell.method, settings[i] ?? ""].filter(Boolean).join(" · ") }));
  const rows = groupBy(keyed, ({ key }) => key);
  return {
    environments: listEnvironments(placed),
    rows: [...rows].map(([key, members]) => {
      const alike = members.map(({ cell }) => cell);
      const method = alike[0]?.method ?? "";
      return { key, method, setting: key.slice(method.length).replace(/^ · /, ""), cells: alike, ...joinSeeds(alike) };
    }),
  };
}

/** Adds the sweep's name to each row's setting, if there are several sweeps. */
function layApart({ sweeps, cells, runs }: BuilderInput, kind: "apart" | "down"): LaidRows {
  const nameOf = new Map(sweeps.map(({ id, name }) => [id, sweeps.length > 1 ? name : ""]));
  const labelled = cells.map((cell) => ({
    ...cell,
    label: [cell.label, nameOf.get(cell.sweepId)].filter(Boolean).join(" · "),
  }));
  const placed = placeCells({ cells: labelled, runs });
  const environments = listEnvironments(placed);
  const keyOf = ({ method, axes, index }: PlacedCell) => JSON.stringify(kind === "down" ? index : [method, axes]);
  return {
    environments,
    rows: [...groupBy(placed, keyOf)].map(([key, alike]) => ({
      key,
      method: alike[0]?.method ?? "",
      setting: alike[0]?.axes ?? "",
      cells: alike,
      runs: new Map(
        (kind === "down" ? listEnvironments(alike) : environments).map((environment) => {
          return [environment, alike.find((cell) => cell.environment === environment)?.runs ?? []];
        }),
      ),
      repeated: new Map(),
    })),
  };
}

function listEnvironments(cells: readonly PlacedCell[]): string[] {
  return [...new Set(cells.map(({ environment }) => environment))];
}

function joinSeeds(cells: readonly PlacedCell[]): Pick<LaidRow, "runs" | "repeated"> {
  const runs = new Map<string, BuilderRun[]>();
  const repeated = new Map<string, number[]>();
  for (const [environment, alike] of groupBy(cells, (cell) => cell.environment)) {
    const bySeed = new Map<number, BuilderRun>();
    for (const run of alike.flatMap((cell) => cell.runs)) {
      const known = bySeed.get(run.seed);
      if (known) repeated.set(environment, [...(repeated.get(environment) ?? []), run.seed]);
      if (!known || standingOf(run) > standingOf(known)) bySeed.set(run.seed, run);
    }
    runs.set(
      environment,
      [...bySeed.values()].toSorted((a, b) => a.seed - b.seed),
    );
  }
  return { runs, repeated };
}

/** Names axis values, and a sweep or a number where specifications differ. */
function nameSettings(cells: readonly PlacedCell[], sweepNames: ReadonlyMap<string, string>): string[] {
  const specs = cells.map(({ spec }) => canonicalJson(spec));
  const nameOf = (i: number, setting: string) => `${cells[i]?.method}\n${setting}`;
  const slotOf = (i: number, setting: string) => `${nameOf(i, setting)}\n${cells[i]?.environment}`;
  const axes = cells.map((cell) => cell.axes);
  const axesRivals = rivalsBy(axes);
  const mixed = new Set(axes.flatMap((setting, i) => (axesRivals(i).length > 1 ? [nameOf(i, setting)] : [])));
  const withSweep = axes.map((setting, i) =>
    mixed.has(nameOf(i, setting))
      ? [setting, sweepNames.get(cells[i]?.sweepId ?? "")].filter(Boolean).join(" · ")
      : setting,
  );
  const rivalsOf = rivalsBy(withSweep);
  return withSweep.map((setting, i) => {
    const rivals = rivalsOf(i);
    return rivals.length > 1 ? `${setting} #${rivals.indexOf(specs[i] ?? "") + 1}` : setting;
  });

  /** Lists the distinct specifications of cells with a cell's name and environment, by its index. */
  function rivalsBy(settings: readonly string[]): (i: number) => string[] {
    const slots = settings.map((setting, i) => slotOf(i, setting));
    const specsIn = new Map(slots.map((slot) => [slot, new Set<string>()]));
    for (const [i, slot] of slots.entries()) specsIn.get(slot)?.add(specs[i] ?? "");
    const rivals = new Map([...specsIn].map(([slot, different]) => [slot, [...different]]));
    return (i) => rivals.get(slots[i] ?? "") ?? [];
  }
}

/** Names sweeps by id; equal names are numbered. */
export function nameSweeps(sweeps: BuilderInput["sweeps"]): Map<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    sweeps.map(({ id, name }) => {
      const n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      return [id, n === 1 ? name : `${name} #${n}`];
    }),
  );
}

function standingOf({ status }: BuilderRun): number {
  return status === "finished" ? 2 : isOver(status) ? 1 : 0;
}

/** The label is split into environment and axes. */
type PlacedCell = BuilderCell & { environment: string; axes: string; runs: BuilderRun[] };

export function placeCells({ cells, runs }: Pick<BuilderInput, "cells" | "runs">): PlacedCell[] {
  const ours = cells.flatMap(({ spec }) => (isImported(spec) ? [] : [spec.environment]));
  const distinct = new Map(ours.map((environment) => [canonicalJson(environment), environment]));
  const labels = labelEnvironments([...distinct.values()]);
  const labelOf = new Map([...distinct.keys()].map((key, i) => [key, labels[i] ?? ""]));
  // An imported run contains only the environment's name.
  const environmentOf = ({ environment }: StoredSpec) =>
    labelOf.get(canonicalJson(environment)) ?? titleOfEnvironment(nameOfEnvironment(environment));
  const runsOf = new Map(cells.map(({ index }): [number, BuilderRun[]] => [index, []]));
  for (const run of runs) runsOf.get(run.cellIndex)?.push(run);
  return cells
    .toSorted((a, b) => a.index - b.index)
    .map((cell) => {
      const environment = environmentOf(cell.spec);
      const seeds = (runsOf.get(cell.index) ?? []).toSorted((a, b) => a.seed - b.seed);
      return { ...cell, environment, axes: withoutEnvironment(cell.label, environment), runs: seeds };
    });
}

/** Removes the environment from "environment · axes". */
function withoutEnvironment(label: string, environment: string): string {
  if (label === environment) return "";
  return label.startsWith(`${environment} · `) ? label.slice(environment.length + " · ".length) : label;
}
