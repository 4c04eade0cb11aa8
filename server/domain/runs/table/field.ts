import { describeMetric, type Metric } from "#trainer/spec/metric.ts";

/** Type of a column, which determines how its values are compared and formatted; durations are in seconds. */
export type FieldType = "text" | "number" | "date" | "duration" | "list";

/** A column of the table of runs. Its key can also be used in filters. */
export type Field = {
  /** Key of the field in URLs, filters and files, such as `method`, `final.rollout/successRate` or `param.lr`. */
  key: string;
  title: string;
  type: FieldType;
  group: "Run" | "Hyperparameter" | "Metric" | "Tracked parameter";
  /** Empty if the title is clear. */
  meaning: string;
};

const run = (key: string, title: string, rest: { type?: FieldType; meaning?: string } = {}): Field => {
  return { key, title, type: "text", group: "Run", meaning: "", ...rest };
};

/** Columns of the table of runs that exist for every run. */
export const runFields: readonly Field[] = [
  run("run", "Run", { meaning: "Id of the run." }),
  run("sweep", "Sweep", { meaning: "Name of the run's sweep." }),
  run("sweepId", "Sweep's id"),
  run("method", "Method"),
  run("configuration", "Configuration", {
    meaning: "Settings in which the run differs from other configurations of the same method.",
  }),
  run("environment", "Environment"),
  run("seed", "Seed", { type: "number" }),
  run("from", "Began from", { meaning: "Run from whose training state or policy this run started." }),
  run("state", "State", {
    meaning: "Status of the run: pending, starting, running, unknown, finished, failed or cancelled.",
  }),
  run("reason", "Reason", { meaning: "Reason for the state, as a code such as out_of_memory." }),
  run("alarm", "Alarm", {
    meaning:
      "Most severe status that the detector has reported: none, warning, unstable or collapsed; not judged (yet) if it had too little data.",
  }),
  run("alarmAt", "First alarm", {
    type: "number",
    meaning:
      "Iteration at which the detector first reported unstable or collapsed; without such a report, the iteration of its first warning.",
  }),
  run("hindsight", "In hindsight", {
    meaning:
      "Label of the finished run, from success rate (else judged by reward) and non-finite values only: healthy, dip, unclear, collapsed (recovered or not), or not judged.",
  }),
  run("collapsedAt", "Collapsed at", { type: "number", meaning: "Iteration of the collapse, in hindsight." }),
  run("iteration", "Iteration", { type: "number", meaning: "Last logged iteration." }),
  run("node", "Node", { meaning: "Node of the newest attempt." }),
  run("attempts", "Attempts", { type: "number" }),
  run("created", "Created", { type: "date" }),
  run("started", "Started", { type: "date" }),
  run("ended", "Ended", { type: "date" }),
  run("duration", "Duration", {
    type: "duration",
    meaning: "Time from the run's start to its end, or to now. Includes all attempts and the waits between them.",
  }),
  run("cost", "Cost", {
    type: "number",
    meaning:
      "Slot-hours of all attempts times the current price of a slot in nodes.yaml; empty if a node has no price.",
  }),
  run("origin", "Origin", {
    meaning: "Source of the run. plan: started by the studio; import or tracking: a run of another trainer.",
  }),
  run("choice", "Chosen as", {
    meaning:
      "How the run came to be chosen: plan, added seed (after the launch), search trial, branch, rescue arm, start (from another run's policy) or imported. Analyses of methods leave trials, branches, rescue arms and starts out.",
  }),
  run("stated", "Stated", {
    meaning: "Method, environment and settings of an imported run that a person entered because no file recorded them.",
  }),
  run("tags", "Tags", { type: "list" }),
  run("note", "Note"),
  run("favourite", "Favourite", { meaning: "yes: the run is a favourite." }),
  run("archived", "Archived", {
    type: "date",
    meaning: "Time at which the run was archived. Archived runs are shown only if the filter names this field.",
  }),
];

/** Field `stability`, used in older filters: the hindsight label if there is one, else the detector's status. */
export const oldStability = run("stability", "Stability");

/** True for columns averaged over runs, with an interval from three runs on. */
export function isMeasured({ key, group, type }: Pick<Field, "key" | "group" | "type">): boolean {
  return group === "Metric" || type === "duration" || key === "cost";
}

export const checkpoints = ["final", "best", "last"] as const;
export type Checkpoint = (typeof checkpoints)[number];

/** Undefined for fields that show no metric. */
export function metricOf(key: string): { rule: Checkpoint; metric: string } | undefined {
  const dot = key.indexOf(".");
  const rule = checkpoints.find((one) => one === key.slice(0, dot));
  return rule && { rule, metric: key.slice(dot + 1) };
}

/**
 * Parses a key such as `at40.evaluation/successRate`. `indexFields` finds such fields by name, because a list would
 * have one per iteration.
 */
export function iterationOf(key: string): { iteration: number; metric: string } | undefined {
  const [, digits = "", metric = ""] = /^at(\d{1,9})\.(.+)$/i.exec(key) ?? [];
  return metric === "" ? undefined : { iteration: Number(digits), metric };
}

/** Returns unit and minimum of a field that shows a metric; the unit is empty for other fields. */
export function unitOf(key: string): Pick<Metric, "min"> & { unit: string } {
  const metric = metricOf(key)?.metric ?? iterationOf(key)?.metric;
  return metric === undefined ? { unit: "" } : describeMetric(metric);
}

export function hyperparameterField(path: string, { title, isNumber }: { title?: string; isNumber: boolean }): Field {
  const type = isNumber ? "number" : "text";
  return { key: path, title: title ?? path, type, group: "Hyperparameter", meaning: title === undefined ? "" : path };
}

const trackedPrefix = "param.";

export function trackedField(name: string): Field {
  const key = `${trackedPrefix}${name}`;
  return {
    key,
    title: name,
    type: "text",
    group: "Tracked parameter",
    meaning: "Parameter that the run's program sent to the studio.",
  };
}

export function trackedOf(key: string): string | undefined {
  return key.startsWith(trackedPrefix) ? key.slice(trackedPrefix.length) : undefined;
}
