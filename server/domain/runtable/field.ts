import { describeMetric } from "#trainer/spec/metric.ts";

/** How values of a field are compared, and how they are shown. Durations are seconds. */
export type FieldType = "text" | "number" | "date" | "duration" | "list";

/** What the table of runs has a column for and its filter a word. */
export type Field = {
  /** In addresses, filters and files: `method`, `optimizer.learningRate`, `final.rollout/successRate`, `param.lr`. */
  key: string;
  title: string;
  type: FieldType;
  group: "Run" | "Hyperparameter" | "Metric" | "Tracked parameter";
  /** What it is, in a sentence; empty where the title says it. */
  meaning: string;
};

const run = (key: string, title: string, rest: { type?: FieldType; meaning?: string } = {}): Field => {
  return { key, title, type: "text", group: "Run", meaning: "", ...rest };
};

/** What every run has, whatever it trained. */
export const runFields: readonly Field[] = [
  run("run", "Run", { meaning: "Its id." }),
  run("sweep", "Sweep", { meaning: "The name of its sweep." }),
  run("method", "Method"),
  run("configuration", "Configuration", { meaning: "What tells its cell from others of the same method." }),
  run("environment", "Environment"),
  run("seed", "Seed", { type: "number" }),
  run("state", "State", { meaning: "pending, starting, running, unknown, finished, failed or cancelled." }),
  run("reason", "Reason", { meaning: "Why it stands there, as a code." }),
  run("alarm", "Alarm", {
    meaning:
      "The worst that the detector said: none, warning, unstable or collapsed; not judged (yet) where it had too little.",
  }),
  run("alarmAt", "First alarm", {
    type: "number",
    meaning: "The iteration at which it first was unstable or worse, or else first gave a warning.",
  }),
  run("hindsight", "In hindsight", {
    meaning:
      "What happened, by success alone, once it is over: healthy, dip, unclear, collapsed (recovered or not), or not judged.",
  }),
  run("collapsedAt", "Collapsed at", { type: "number", meaning: "The iteration of its collapse in hindsight." }),
  run("iteration", "Iteration", { type: "number", meaning: "The last one it logged." }),
  run("node", "Node", { meaning: "Where its newest attempt ran." }),
  run("attempts", "Attempts", { type: "number" }),
  run("created", "Created", { type: "date" }),
  run("started", "Started", { type: "date" }),
  run("ended", "Ended", { type: "date" }),
  run("duration", "Duration", {
    type: "duration",
    meaning: "From its start to its end, or to now; every attempt and wait between them.",
  }),
  run("cost", "Cost", {
    type: "number",
    meaning:
      "Hours that its attempts held slots, times the price of a slot on their nodes as the nodes file has it now, in its currency; none where a node has no price.",
  }),
  run("origin", "Origin", { meaning: "plan: carried out here; import or tracking: another trainer's." }),
  run("stated", "Stated", {
    meaning: "What a person stated of an imported run, and no file recorded: method, environment, settings.",
  }),
  run("tags", "Tags", { type: "list" }),
  run("note", "Note"),
  run("favourite", "Favourite", { meaning: "yes: it has a star." }),
  run("archived", "Archived", {
    type: "date",
    meaning: "When it was put out of sight; such runs are shown where the filter names them.",
  }),
];

/** One word for both facts, as filters had it: the label once there is one, else where the detector stands. */
export const oldStability = run("stability", "Stability");

/** Whether a column is averaged, as metrics are everywhere, with their interval from three runs on. */
export function isMeasured({ key, group, type }: Pick<Field, "key" | "group" | "type">): boolean {
  return group === "Metric" || type === "duration" || key === "cost";
}

/** Rules by which a curve becomes one value, as tables have them. */
export const checkpoints = ["final", "best", "last"] as const;
export type Checkpoint = (typeof checkpoints)[number];

/** A metric's name and rule out of a field's key; undefined for other fields. */
export function metricOf(key: string): { rule: Checkpoint; metric: string } | undefined {
  const dot = key.indexOf(".");
  const rule = checkpoints.find((one) => one === key.slice(0, dot));
  return rule && { rule, metric: key.slice(dot + 1) };
}

/**
 * Iteration and metric out of the key of a metric at one iteration, `at40.evaluation/successRate`; undefined for other
 * fields. No list has such fields, since there are as many as iterations: `indexFields` finds them by their names.
 */
export function iterationOf(key: string): { iteration: number; metric: string } | undefined {
  const [, digits = "", metric = ""] = /^at(\d{1,9})\.(.+)$/i.exec(key) ?? [];
  return metric === "" ? undefined : { iteration: Number(digits), metric };
}

/** Unit of the metric that a field holds; empty for other fields. */
export function unitOf(key: string): { unit: string } {
  const metric = metricOf(key)?.metric ?? iterationOf(key)?.metric;
  return { unit: metric === undefined ? "" : describeMetric(metric).unit };
}

/** A leaf of the runs' specifications by its dotted path. */
export function hyperparameterField(path: string, { title, isNumber }: { title?: string; isNumber: boolean }): Field {
  const type = isNumber ? "number" : "text";
  return { key: path, title: title ?? path, type, group: "Hyperparameter", meaning: title === undefined ? "" : path };
}

const trackedPrefix = "param.";

/** A parameter that a tracked run sent. */
export function trackedField(name: string): Field {
  const key = `${trackedPrefix}${name}`;
  return { key, title: name, type: "text", group: "Tracked parameter", meaning: "As the run sent it." };
}

/** The name of a tracked parameter out of a field's key; undefined for other fields. */
export function trackedOf(key: string): string | undefined {
  return key.startsWith(trackedPrefix) ? key.slice(trackedPrefix.length) : undefined;
}
