type Kind = {
  /** Name of the analysis in error messages and progress texts. */
  title: string;
  /** Queue in which the analysis runs. Short analyses, requested when pages open, never wait for long ones. */
  lane: "short" | "long";
  /** Absent if the analysis is only computed as part of another. */
  procedure?: string;
};

/** Analyses of stored runs, and work whose time grows with a plan, all computed in separate processes. */
export const analysisKinds = {
  answering: { title: "The list of sweeps that test claims", lane: "long", procedure: "stability.answering" },
  blind: { title: "The comparison of alarm rules", lane: "long", procedure: "stability.blind" },
  branch: { title: "The branches", lane: "short" },
  builtTable: { title: "The table", lane: "long", procedure: "table.built" },
  charts: { title: "The charts", lane: "short", procedure: "series.charts" },
  climbs: { title: "The table of early signals", lane: "long", procedure: "stability.climbs" },
  comparedFinals: { title: "The comparison of results", lane: "short", procedure: "comparison.finals" },
  comparison: { title: "The comparison of configurations", lane: "short", procedure: "comparison.configurations" },
  effects: { title: "The effects of design dimensions", lane: "long", procedure: "stability.effects" },
  equivalence: {
    title: "The equivalence test of success at the end",
    lane: "long",
    procedure: "stability.equivalence",
  },
  evaluation: { title: "The list of evaluations", lane: "short" },
  exportedReport: { title: "The report", lane: "long" },
  fields: { title: "The list of differing settings", lane: "short", procedure: "series.fields" },
  findings: { title: "The findings", lane: "long", procedure: "stability.findings" },
  forecast: { title: "The collapse forecast", lane: "long", procedure: "stability.forecast" },
  frozenBlocks: { title: "The report", lane: "long" },
  ghosts: { title: "The list of replaced points", lane: "short", procedure: "series.ghosts" },
  hazards: { title: "The table of collapse hazards", lane: "long", procedure: "stability.hazards" },
  headline: { title: "The summary of the sweep", lane: "short", procedure: "sweep.headline" },
  importance: { title: "The importance of settings", lane: "short", procedure: "runTable.importance" },
  integrity: { title: "The comparison of data and logs", lane: "short", procedure: "run.integrity" },
  launch: { title: "The sweep", lane: "short" },
  offers: { title: "The list of stability pages", lane: "short", procedure: "stability.offers" },
  overview: { title: "The stability overview", lane: "short", procedure: "stability.overview" },
  phases: { title: "The phase diagrams", lane: "long", procedure: "stability.phases" },
  preview: { title: "The preview of the plan", lane: "short", procedure: "sweep.preview" },
  progress: { title: "The progress of runs", lane: "short", procedure: "series.progress" },
  replay: { title: "The replay of alarms", lane: "short", procedure: "stability.replay" },
  reportPreview: { title: "The report", lane: "long", procedure: "report.preview" },
  rescue: { title: "The rescue experiment", lane: "short", procedure: "stability.rescue" },
  rescueLaunch: { title: "The rescue experiment", lane: "short" },
  rescueSize: { title: "The size of the rescue experiment", lane: "short", procedure: "sweep.rescueSize" },
  rescueTable: { title: "The rescue table", lane: "short", procedure: "stability.rescues" },
  restingRules: {
    title: "The number of runs that resting rules start",
    lane: "short",
    procedure: "sweep.restingRules",
  },
  rulesLaunch: { title: "The launch of resting rules", lane: "short" },
  runStudy: { title: "The hyperparameter analysis", lane: "short", procedure: "runTable.study" },
  sample: { title: "The episode", lane: "short", procedure: "run.sample" },
  samples: { title: "The list of episodes", lane: "short", procedure: "run.samples" },
  search: { title: "The overview of the hyperparameter search", lane: "long", procedure: "sweep.search" },
  shared: { title: "The shared page", lane: "long" },
  shownReport: { title: "The report", lane: "long", procedure: "report.shown" },
  survival: { title: "The survival analysis", lane: "long", procedure: "stability.survival" },
  tables: { title: "The tables", lane: "long", procedure: "table.final" },
  transfer: { title: "The transfer table", lane: "short", procedure: "stability.transfer" },
  verifiedTable: { title: "The verification of the table", lane: "long", procedure: "table.verify" },
} as const satisfies Record<string, Kind>;

export type AnalysisName = keyof typeof analysisKinds;
export const analysisNames = Object.keys(analysisKinds) as AnalysisName[];

const procedures: ReadonlySet<string | undefined> = new Set(
  Object.values<Kind>(analysisKinds).map(({ procedure }) => procedure),
);

/** True if an API procedure returns an analysis, which takes longer than other procedures. */
export function isAnalysis(procedure: string): boolean {
  return procedures.has(procedure);
}
