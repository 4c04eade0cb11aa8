import { groupBy } from "#packages/base";
import { spreadOf, type Curve, type Spread } from "#packages/statistics";

export const transferMeasures = ["successRate", "score"] as const;
export type TransferMeasure = (typeof transferMeasures)[number];

/** Success rates of a run by environment, before and after training; NaN if not logged. */
export type TransferRun = {
  runId: string;
  seed: number;
  /** Key of method and settings, without the environment. */
  configuration: string;
  environment: string;
  values: ReadonlyMap<string, { before: number; after: number }>;
};

/** Returns success before training and after the whole budget; NaN where not logged. */
export function endsOf(curve: Curve | undefined, lastIteration: number): { before: number; after: number } {
  const at = (iteration: number): number => {
    const i = curve?.iterations.indexOf(iteration) ?? -1;
    return curve?.values[i] ?? NaN;
  };
  return { before: at(0), after: lastIteration === 0 ? NaN : at(lastIteration) };
}

export type TransferCell = {
  /** True if the runs were trained in the evaluation environment. */
  isOwn: boolean;
  after: Spread;
  /** Success after minus before training, run by run. */
  change: Spread;
  /** Success minus that of the same configuration and seed trained there; empty if `isOwn`. */
  toOwn: Spread;
};

export type TransferRow = {
  environment: string;
  configuration: string;
  runIds: string[];
  cells: TransferCell[];
};

export type TransferReport = {
  /** Evaluation environments. */
  columns: string[];
  rows: TransferRow[];
};

/** Computes the transfer matrix: training by evaluation environments, one block of rows per configuration. */
export function reportTransfer(given: readonly TransferRun[]): TransferReport {
  const runs = onePerSeed(given);
  const trained = [...new Set(runs.map(({ environment }) => environment))];
  const evaluated = new Set(runs.flatMap(({ values }) => [...values.keys()]));
  // Training environments lie on the diagonal.
  const columns = [...new Set([...trained, ...evaluated])].filter((one) => evaluated.has(one));
  const configurations = [...new Set(runs.map(({ configuration }) => configuration))];
  const rows = configurations.flatMap((configuration) =>
    trained.flatMap((environment): TransferRow[] => {
      const alike = runs.filter((run) => run.configuration === configuration);
      const own = alike.filter((run) => run.environment === environment);
      if (own.length === 0) return [];
      const cells = columns.map((column) => toCell(own, { column, alike }));
      return [{ environment, configuration, runIds: own.map(({ runId }) => runId), cells }];
    }),
  );
  return { columns, rows };
}

type Place = { column: string; alike: readonly TransferRun[] };

function toCell(own: readonly TransferRun[], { column, alike }: Place): TransferCell {
  const isOwn = own.some(({ environment }) => environment === column);
  const valuesOf = (run: TransferRun) => run.values.get(column) ?? { before: NaN, after: NaN };
  const inColumn = new Map(
    alike.filter(({ environment }) => environment === column).map((run) => [run.seed, valuesOf(run).after]),
  );
  const spread = (values: number[], unit: string) => spreadOf(values, { unit });
  return {
    isOwn,
    after: spread(
      own.map((run) => valuesOf(run).after),
      "fraction",
    ),
    change: spread(
      own.map((run) => valuesOf(run).after - valuesOf(run).before),
      "points",
    ),
    toOwn: spread(isOwn ? [] : own.map((run) => valuesOf(run).after - (inColumn.get(run.seed) ?? NaN)), "points"),
  };
}

function onePerSeed(runs: readonly TransferRun[]): TransferRun[] {
  const nameOf = ({ configuration, environment, seed }: TransferRun) =>
    JSON.stringify([configuration, environment, seed]);
  return [...groupBy(runs, nameOf).values()].flatMap((same) => same.slice(0, 1));
}
