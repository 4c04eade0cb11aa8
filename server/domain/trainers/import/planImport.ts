import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { groupBy } from "#packages/base";
import type { ChosenNames, RunEdits } from "./chosenNames.ts";
import { type ForeignRun, type LeftOut, type NamedFile, usualSampling } from "./foreignRun.ts";
import { guessIdentity } from "./guessIdentity.ts";
import { identifyRuns } from "./identifyRuns.ts";
import { findCopies, mergeRuns } from "./mergeRuns.ts";
import { joinSettings, type Settings } from "./settings.ts";
import type { ImportedSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";

export type ImportOptions = {
  method?: string | undefined;
  environment?: string | undefined;
  seed?: number | undefined;
  sampling?: ImportedSpec["sampling"] | undefined;
  /** Maps a metric name in a file to a metric of the studio's catalogue, or to itself if the catalogue has none. */
  chosen?: ChosenNames | undefined;
  /** Changes by the user to single runs of the preview, by their ids. */
  edits?: RunEdits | undefined;
};

export type SettingsFile = { fileName: string; settings: Settings };

export type ImportPlan = {
  cells: readonly { method: string; label: string; spec: ImportedSpec }[];
  runs: readonly {
    cellIndex: number;
    seed: number;
    /** Identity of the run among the given files, by which `edits` name it. */
    id: string;
    name: string;
    files: readonly string[];
    run: ForeignRun;
  }[];
  left: readonly LeftOut[];
  notes: readonly string[];
};

/**
 * Groups external runs into cells (method × environment) and seeds. Files of one run are joined: exported charts,
 * snapshots of a trainer's state, parts of a log. A run without a seed gets the smallest free seed, as does a run
 * whose seed is already used, which is noted.
 */
export function planImport(
  files: readonly NamedFile[],
  options: ImportOptions = {},
  settings: readonly SettingsFile[] = [],
): ImportPlan {
  const all = mergeRuns(files, options.chosen);
  const { edits = {} } = options;
  const guesses = identifyRuns(
    all.map((one) => ({ ...one, config: one.run.config, settings: joinSettings(settings, one.path ?? "") })),
  );
  const merged = all
    .map((one, i) => ({ ...one, guess: guesses[i] ?? guessIdentity(one.name) }))
    .filter(({ id }) => edits[id]?.isLeftOut !== true);
  const left = [
    ...findCopies(files),
    ...all.flatMap(({ id, name }) => (edits[id]?.isLeftOut ? [{ file: name, reason: "left out by choice" }] : [])),
  ];
  const notes = merged.flatMap(({ name, run }) => run.notes.map((note) => `${name}: ${note}`));
  const named = merged.map(({ guess, ...one }) => {
    const edit = edits[one.id];
    return {
      ...one,
      method: edit?.method ?? options.method ?? guess.method,
      environment: edit?.environment ?? options.environment ?? guess.environment,
      seed: edit?.seed ?? options.seed ?? guess.seed,
    };
  });
  const groups = [...groupBy(named, ({ method, environment }) => `${method}\n${environment}`).values()];
  const hasEnvironments = new Set(named.map(({ environment }) => environment)).size > 1;
  const runs = groups.flatMap((group, cellIndex) => {
    const taken = new Set<number>();
    // Runs with a known seed are assigned it first, while it is still free.
    const seededFirst = group.toSorted((a, b) => Number(a.seed === undefined) - Number(b.seed === undefined));
    return seededFirst.map(({ id, name, files: ofRun, run, seed }) => {
      const free = seed !== undefined && !taken.has(seed) ? seed : nextFree(taken);
      if (seed !== undefined && free !== seed)
        notes.push(`${name}: seed ${seed} is already used; imported as seed ${free}`);
      taken.add(free);
      return { cellIndex, seed: free, id, name, files: ofRun, run };
    });
  });
  const cells = groups.map((group) => toCell(group, options, hasEnvironments));
  return { cells, runs, left, notes };
}

type Identified = { method: string; environment: string; run: ForeignRun };

function toCell(
  group: readonly Identified[],
  { sampling = usualSampling }: ImportOptions,
  hasEnvironments: boolean,
): ImportPlan["cells"][number] {
  const { method = "", environment = "" } = group[0] ?? {};
  const points = group.flatMap(({ run }) => run.points);
  const iterations = points.reduce((most, { iteration }) => Math.max(most, iteration), 0);
  const known = { environment: { id: environment }, method, sampling, budget: { iterations } };
  return {
    method,
    label: hasEnvironments ? titleOfEnvironment(environment) : "",
    spec: { kind: "imported" as const, ...known },
  };
}

function nextFree(taken: ReadonlySet<number>): number {
  let seed = 0;
  while (taken.has(seed)) seed += 1;
  return seed;
}
