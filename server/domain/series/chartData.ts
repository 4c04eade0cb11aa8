/**
 * What a chart needs, as it travels: columns of equal length, finite numbers only.
 * A step that is absent from a column is a gap; a value that is NaN or infinite is in `nonFinite` and nowhere else.
 */
export type Chart = { key: string; bands: ChartBand[]; lines: ChartLine[]; nonFinite: NonFinite[] };

/** One configuration over its seeds. */
export type ChartBand = {
  cellId: number;
  iterations: number[];
  means: number[];
  /** Sample standard deviation over seeds; null where one seed alone gives none. */
  stds: (number | null)[];
  /** Seeds with a finite value at this iteration. */
  counts: number[];
  /** Iterations after which the line is interrupted: the next step is missing or not finite in every seed. */
  breaks: number[];
  /** Usual distance of two points, in iterations, before reduction: what is farther apart is a gap. */
  cadence: number;
  /** Points before reduction. */
  numPoints: number;
};

/** One run. */
export type ChartLine = {
  runId: string;
  iterations: number[];
  values: number[];
  breaks: number[];
  cadence: number;
  numPoints: number;
};

export type NonFiniteKind = "nan" | "positive" | "negative";
export type NonFinite = { runId: string; iteration: number; kind: NonFiniteKind };

/**
 * News of one metric. A line that is whole replaces the one of before, because an attempt began again; any other is
 * the stretch from the last point before the news to the newest, complete, to be put in by iteration.
 */
export type ChartDelta = {
  key: string;
  bands: (ChartBand & { isWhole: boolean })[];
  lines: (ChartLine & { isWhole: boolean })[];
  nonFinite: NonFinite[];
};
