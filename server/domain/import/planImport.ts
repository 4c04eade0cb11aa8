import { environments } from "#trainer/spec/environment.ts";
import type { ForeignFile, ForeignPoint, ForeignRun } from "./foreignRun.ts";
import { guessIdentity } from "./guessIdentity.ts";
import type { ImportedSpec } from "./storedSpec.ts";

/** What the importer says, where the files' names do not. */
export type ImportWishes = {
  method?: string | undefined;
  environment?: string | undefined;
  seed?: number | undefined;
  sampling?: ImportedSpec["sampling"] | undefined;
};

export type NamedFile = { fileName: string; file: ForeignFile };

export type ImportPlan = {
  cells: readonly { method: string; label: string; spec: ImportedSpec }[];
  runs: readonly { cellIndex: number; seed: number; run: ForeignRun }[];
  notes: readonly string[];
};

/** Behind a success rate, where nobody says: the sizes of the paper's runs. */
export const usualSampling: ImportedSpec["sampling"] = { numEpisodes: 128, groupSize: 8, numHeldOut: 128 };

/**
 * Sorts foreign runs into cells (method × environment) and seeds. Runs of one name in several CSV files are one run:
 * trackers export a chart at a time. A seed that is taken or unknown becomes the next free one, and that is noted.
 */
export function planImport(files: readonly NamedFile[], wishes: ImportWishes = {}): ImportPlan {
  const notes = files.flatMap(({ fileName, file }) => file.notes.map((note) => `${fileName}: ${note}`));
  const named = mergeByName(files).map(({ name, run }) => {
    const guess = guessIdentity(name);
    const { method = guess.method, environment = guess.environment, seed = guess.seed } = wishes;
    return { name, run, method, environment, seed };
  });
  const keyOf = ({ method, environment }: { method: string; environment: string }) => `${method}\n${environment}`;
  const cellKeys = [...new Set(named.map(keyOf))];
  const hasEnvironments = new Set(named.map(({ environment }) => environment)).size > 1;
  const runs: { cellIndex: number; seed: number; run: ForeignRun }[] = [];
  for (const [cellIndex, key] of cellKeys.entries()) {
    const own = named.filter((one) => keyOf(one) === key);
    const taken = new Set<number>();
    // Names that tell their seed choose first.
    for (const { name, run, seed } of [...own.filter((one) => one.seed !== undefined), ...own.filter(isSeedless)]) {
      const free = seed !== undefined && !taken.has(seed) ? seed : nextFree(taken);
      if (seed !== undefined && free !== seed) notes.push(`${name}: seed ${seed} is taken, it counts as seed ${free}`);
      taken.add(free);
      runs.push({ cellIndex, seed: free, run });
    }
  }
  const cells = cellKeys.map((key, cellIndex) => {
    const [method = "", environment = ""] = key.split("\n");
    const points = runs.filter((run) => run.cellIndex === cellIndex).flatMap(({ run }) => run.points);
    const iterations = points.reduce((most, { iteration }) => Math.max(most, iteration), 0);
    const sampling = wishes.sampling ?? usualSampling;
    return {
      method,
      label: hasEnvironments ? titleOf(environment) : "",
      spec: {
        kind: "imported" as const,
        environment: { id: environment },
        method,
        sampling,
        budget: { iterations },
      },
    };
  });
  return { cells, runs, notes };
}

function isSeedless({ seed }: { seed: number | undefined }): boolean {
  return seed === undefined;
}

function nextFree(taken: ReadonlySet<number>): number {
  let seed = 0;
  while (taken.has(seed)) seed += 1;
  return seed;
}

/** An environment's title, or its name where it is none of ours. */
export function titleOf(environment: string): string {
  return Object.entries(environments).find(([id]) => id === environment)?.[1].title ?? environment;
}

function mergeByName(files: readonly NamedFile[]): { name: string; run: ForeignRun }[] {
  const merged = new Map<string, { name: string; run: ForeignRun }>();
  for (const [i, { fileName, file }] of files.entries()) {
    for (const run of file.runs) {
      const name = run.name === "" ? fileName : run.name;
      const key = run.name === "" ? `file ${i}` : `run ${run.name}`;
      const known = merged.get(key);
      merged.set(key, { name, run: known ? join(known.run, run) : run });
    }
  }
  return [...merged.values()];
}

function join(a: ForeignRun, b: ForeignRun): ForeignRun {
  const points = new Map<number, ForeignPoint>(a.points.map((point) => [point.iteration, point]));
  for (const point of b.points) {
    const known = points.get(point.iteration);
    points.set(point.iteration, known ? { ...known, values: { ...known.values, ...point.values } } : point);
  }
  return {
    name: a.name,
    points: [...points.values()].toSorted((x, y) => x.iteration - y.iteration),
    originals: { ...a.originals, ...b.originals },
  };
}
