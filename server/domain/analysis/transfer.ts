import { spreadOf, type Curve, type Spread } from "#packages/statistics";

/** One run with its success rates by environment, before the first iteration and after the last; NaN if not logged. */
export type TransferRun = {
  runId: string;
  seed: number;
  /** Key of the run's method and settings, without the environment. */
  configuration: string;
  /** Environment in which the run was trained. */
  environment: string;
  values: ReadonlyMap<string, { before: number; after: number }>;
};

/** Returns the success before training and after the whole budget; NaN if the curve has no such point. */
export function endsOf(curve: Curve | undefined, lastIteration: number): { before: number; after: number } {
  const at = (iteration: number): number => {
    const i = curve?.iterations.indexOf(iteration) ?? -1;
    return curve?.values[i] ?? NaN;
  };
  return { before: at(0), after: lastIteration === 0 ? NaN : at(lastIteration) };
}

export type TransferCell = {
  /** True if the evaluation environment is the one in which the runs were trained. */
  isOwn: boolean;
  after: Spread;
  /** Success after training minus success before, run by run. */
  change: Spread;
  /** Success minus that of the same configuration and seed trained in the evaluation environment; empty if `isOwn`. */
  toOwn: Spread;
};

export type TransferRow = {
  environment: string;
  configuration: string;
  runIds: string[];
  cells: TransferCell[];
};

export type TransferReport = {
  /** Environments in which runs were evaluated. */
  columns: string[];
  rows: TransferRow[];
};

/**
 * Computes the transfer matrix of success rates. Rows are training environments and columns evaluation environments,
 * with one block of rows per configuration.
 */
export function reportTransfer(given: readonly TransferRun[]): TransferReport {
  const runs = onePerSeed(given);
  const trained = [...new Set(runs.map(({ environment }) => environment))];
  const evaluated = new Set(runs.flatMap(({ values }) => [...values.keys()]));
  // Columns are in the order of the rows, so that the training environments lie on the diagonal.
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

/** Keeps the first run of each configuration, environment and seed. */
function onePerSeed(runs: readonly TransferRun[]): TransferRun[] {
  const byName = new Map<string, TransferRun>();
  for (const run of runs) {
    const name = JSON.stringify([run.configuration, run.environment, run.seed]);
    if (!byName.has(name)) byName.set(name, run);
  }
  return [...byName.values()];
}
