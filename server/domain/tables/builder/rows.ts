import { canonicalJson } from "#trainer/spec/canonical.ts";
import { placeCells, type PlacedCell } from "../input.ts";
import type { BuilderCell, BuilderInput, BuilderRun } from "./input.ts";
import { groupBy } from "#server/domain/groupBy.ts";

/** One configuration with its runs in each environment: what a row of a built table is about. */
export type LaidRow = {
  /** Its name within the table, by which options speak of it. */
  key: string;
  method: string;
  /** Axis values, and the sweep where only that tells it from another row. */
  setting: string;
  cells: readonly PlacedCell<BuilderRun, BuilderCell>[];
  /** Runs by environment, one a seed. */
  runs: ReadonlyMap<string, readonly BuilderRun[]>;
  /** Seeds of an environment that several sweeps have: the first that finished counts. */
  repeated: ReadonlyMap<string, readonly number[]>;
};

type Placed = PlacedCell<BuilderRun, BuilderCell>;

/**
 * Rows in the order of the plans. A configuration that several sweeps share is one row, whose seeds join; configurations
 * of one name that differ stay apart: what is not exchangeable is never averaged.
 */
export function layRows({ sweeps, cells, runs }: BuilderInput): { rows: LaidRow[]; environments: string[] } {
  const placed = placeCells({ cells, curves: runs });
  const settings = nameSettings(placed, nameSweeps(sweeps));
  const keyed = placed.map((cell, i) => ({ cell, key: [cell.method, settings[i] ?? ""].filter(Boolean).join(" · ") }));
  const rows = groupBy(keyed, ({ key }) => key);
  return {
    environments: [...new Set(placed.map(({ environment }) => environment))],
    rows: [...rows].map(([key, members]) => {
      const own = members.map(({ cell }) => cell);
      const [first] = own;
      const method = first?.method ?? "";
      return { key, method, setting: key.slice(method.length).replace(/^ · /, ""), cells: own, ...joinSeeds(own) };
    }),
  };
}

function joinSeeds(cells: readonly Placed[]): Pick<LaidRow, "runs" | "repeated"> {
  const all = new Map<string, BuilderRun[]>();
  for (const { environment, curves } of cells) all.set(environment, [...(all.get(environment) ?? []), ...curves]);
  const runs = new Map<string, BuilderRun[]>();
  const repeated = new Map<string, number[]>();
  for (const [environment, own] of all) {
    const bySeed = new Map<number, BuilderRun>();
    for (const run of own) {
      const known = bySeed.get(run.seed);
      if (known) repeated.set(environment, [...(repeated.get(environment) ?? []), run.seed]);
      if (!known || (known.status !== "finished" && run.status === "finished")) bySeed.set(run.seed, run);
    }
    runs.set(
      environment,
      [...bySeed.values()].toSorted((a, b) => a.seed - b.seed),
    );
  }
  return { runs, repeated };
}

/** What stands beside the method, for each cell: axes, and what more it takes to tell different specifications apart. */
function nameSettings(cells: readonly Placed[], sweepNames: ReadonlyMap<string, string>): string[] {
  const specs = cells.map(({ spec }) => canonicalJson(spec));
  const nameOf = (i: number, setting: string) => `${cells[i]?.method}\n${setting}`;
  const placeOf = (i: number, setting: string) => `${nameOf(i, setting)}\n${cells[i]?.environment}`;
  const own = cells.map(({ axes }) => axes);
  const ownRivals = rivalsBy(own);
  const mixed = new Set(own.flatMap((setting, i) => (ownRivals(i).length > 1 ? [nameOf(i, setting)] : [])));
  const withSweep = own.map((setting, i) =>
    mixed.has(nameOf(i, setting))
      ? [setting, sweepNames.get(cells[i]?.sweepId ?? "")].filter(Boolean).join(" · ")
      : setting,
  );
  const rivalsOf = rivalsBy(withSweep);
  return withSweep.map((setting, i) => {
    const rivals = rivalsOf(i);
    return rivals.length > 1 ? `${setting} #${rivals.indexOf(specs[i] ?? "") + 1}` : setting;
  });

  /** Different specifications that would stand in the place of a cell, its own among them, each once. */
  function rivalsBy(settings: readonly string[]): (i: number) => string[] {
    const places = settings.map((setting, i) => placeOf(i, setting));
    const specsAt = new Map(places.map((place) => [place, new Set<string>()]));
    for (const [i, place] of places.entries()) specsAt.get(place)?.add(specs[i] ?? "");
    const rivals = new Map([...specsAt].map(([place, own]) => [place, [...own]]));
    return (i) => rivals.get(places[i] ?? "") ?? [];
  }
}

/** Names of sweeps, numbered where they are equal. */
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
