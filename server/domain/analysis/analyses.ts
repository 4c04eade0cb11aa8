import { isQuestion, procedureOf, questionIds, questions } from "./questions.ts";

type Kind = {
  /** Name of the analysis in error messages and progress texts. */
  title: string;
  /** Queue in which the analysis runs. Short analyses, requested when pages open, never wait for long ones. */
  lane: "short" | "long";
  /** Absent if the analysis is only computed as part of another. */
  procedure?: string;
  /** True if the answer depends only on what is stored about the runs of its sweeps, so that it can be kept. */
  isKept?: true;
};

/** Further analyses of stored runs, and work whose time grows with a plan, all computed in separate processes. */
const otherKinds = {
  answering: { title: "The list of sweeps that test claims", lane: "long", procedure: "analysis.answering" },
  branch: { title: "The branches", lane: "short" },
  builtTable: { title: "The table", lane: "long", procedure: "table.built", isKept: true },
  charts: { title: "The charts", lane: "short", procedure: "series.charts", isKept: true },
  comparedFinals: { title: "The comparison of results", lane: "short", procedure: "comparison.finals", isKept: true },
  comparison: {
    title: "The comparison of configurations",
    lane: "short",
    procedure: "comparison.configurations",
    isKept: true,
  },
  evaluation: { title: "The list of evaluations", lane: "short" },
  exportedReport: { title: "The report", lane: "long" },
  fields: { title: "The list of differing settings", lane: "short", procedure: "series.fields", isKept: true },
  frozenBlocks: { title: "The report", lane: "long" },
  ghosts: { title: "The list of replaced points", lane: "short", procedure: "series.ghosts", isKept: true },
  headline: { title: "The summary of the sweep", lane: "short", procedure: "sweep.headline", isKept: true },
  importance: { title: "The importance of settings", lane: "short", procedure: "runTable.importance", isKept: true },
  integrity: { title: "The comparison of data and logs", lane: "short", procedure: "run.integrity" },
  launch: { title: "The sweep", lane: "short" },
  offers: { title: "The list of stability pages", lane: "short", procedure: "stability.offers", isKept: true },
  preview: { title: "The preview of the plan", lane: "short", procedure: "sweep.preview" },
  progress: { title: "The progress of runs", lane: "short", procedure: "series.progress", isKept: true },
  replay: { title: "The replay of alarms", lane: "short", procedure: "stability.replay" },
  reportPreview: { title: "The report", lane: "long", procedure: "report.preview" },
  rescueOfRun: { title: "The rescue experiment", lane: "short", procedure: "stability.rescue" },
  rescueLaunch: { title: "The rescue experiment", lane: "short" },
  rescueSize: { title: "The size of the rescue experiment", lane: "short", procedure: "sweep.rescueSize" },
  restingRules: {
    title: "The number of runs that resting rules start",
    lane: "short",
    procedure: "sweep.restingRules",
  },
  rulesLaunch: { title: "The launch of resting rules", lane: "short" },
  runStability: { title: "The states of the runs", lane: "short", procedure: "stability.runs", isKept: true },
  runStudy: { title: "The hyperparameter analysis", lane: "short", procedure: "runTable.study", isKept: true },
  episode: { title: "The episode", lane: "short", procedure: "run.episode" },
  episodes: { title: "The list of episodes", lane: "short", procedure: "run.episodes" },
  group: { title: "The group", lane: "short", procedure: "run.group" },
  groups: { title: "The list of groups", lane: "short", procedure: "run.groups" },
  search: { title: "The overview of the hyperparameter search", lane: "long", procedure: "sweep.search" },
  shared: { title: "The shared page", lane: "long" },
  shownReport: { title: "The report", lane: "long", procedure: "report.shown" },
  tables: { title: "The tables", lane: "long", procedure: "table.final", isKept: true },
  verifiedTable: { title: "The verification of the table", lane: "long", procedure: "table.verify" },
} as const satisfies Record<string, Kind>;

/** All analyses: questions and further ones. */
export const analysisKinds = { ...otherKinds, ...questions };
export type AnalysisName = keyof typeof analysisKinds;
export const analysisNames = Object.keys(analysisKinds) as AnalysisName[];

export function isKept(name: AnalysisName): boolean {
  const others: Readonly<Partial<Record<AnalysisName, Kind>>> = otherKinds;
  return isQuestion(name) || others[name]?.isKept === true;
}

const procedures: ReadonlySet<string | undefined> = new Set([
  ...Object.values<Kind>(otherKinds).map(({ procedure }) => procedure),
  ...questionIds.map(procedureOf),
]);

/** True if an API procedure returns an analysis, which takes longer than other procedures. */
export function isAnalysis(procedure: string): boolean {
  return procedures.has(procedure);
}
