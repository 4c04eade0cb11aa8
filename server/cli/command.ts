import { parseArgs } from "node:util";
import type { Split } from "#trainer/spec/environment.ts";
import { AppError } from "#server/domain/errors.ts";
import { type ImportWishes, usualSampling } from "#server/domain/import/planImport.ts";
import type { SamplingSize } from "#server/domain/stability/detector.ts";
import { closeMatches } from "#server/domain/sweep/closeMatches.ts";
import { splits } from "#server/domain/taskSeed.ts";
import type { PredictorCommand } from "./predictor.ts";
import type { StatsCommand } from "./stats.ts";

export const tableFormats = ["latex", "markdown", "csv", "json"] as const;
export type TableFormat = (typeof tableFormats)[number];
export const tableKinds = ["final", "stability", "tasks"] as const;
export type TableKind = (typeof tableKinds)[number];

export type Command =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "sweepRun"; file: string; isWatched: boolean; name: string | undefined }
  | ImportCommand
  | { kind: "token"; name: string; isRevoked: boolean }
  | { kind: "sweeps" }
  | { kind: "runs"; sweep: string | undefined }
  | { kind: "cancel" | "retry"; target: string }
  | { kind: "delete"; sweep: string }
  | { kind: "pause"; sweep: string; intent: "pause" | "run" }
  | { kind: "seeds"; sweep: string; numNew: number }
  | { kind: "seedsUndo"; sweep: string }
  | { kind: "check"; runId: string }
  | { kind: "nodes" }
  | { kind: "priority"; sweep: string; priority: number | "front" }
  | { kind: "table"; sweep: string; table: TableKind; format: TableFormat; metric: string | undefined }
  | { kind: "tableVerify"; hash: string }
  | { kind: "objective"; file: string }
  | { kind: "detect"; file: string; size: SamplingSize }
  | PredictorCommand
  | StatsCommand
  | EnvironmentCommand
  | { kind: "signIn" };

export type ImportCommand = { kind: "import"; files: string[]; name: string | undefined; wishes: ImportWishes };

export type EnvironmentCommand =
  | { kind: "environments" }
  | { kind: "environmentReplay"; name: string; files: string[] }
  | {
      kind: "environmentPlay";
      name: string;
      /** A number within the split, or a seed of any split. */
      seed: number;
      split: Split | undefined;
      /** "knob=value", as typed. */
      knobs: string[];
      /** A file of actions, "-" for standard input, or who acts instead. */
      from: { kind: "file"; file: string } | { kind: "expert" };
    };

export type Parsed = { isJson: boolean } & (
  { kind: "wrong"; problem: AppError } | { kind: "command"; command: Command; home: string | undefined }
);

const options = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  home: { type: "string" },
  watch: { type: "boolean" },
  sooner: { type: "string" },
  later: { type: "string" },
  add: { type: "string" },
  undo: { type: "boolean" },
  name: { type: "string" },
  format: { type: "string" },
  metric: { type: "string" },
  kind: { type: "string" },
  seed: { type: "string" },
  split: { type: "string" },
  set: { type: "string", multiple: true },
  actions: { type: "string" },
  expert: { type: "boolean" },
  replay: { type: "string", multiple: true },
  baseline: { type: "string" },
  rule: { type: "string" },
  test: { type: "string" },
  level: { type: "string" },
  resamples: { type: "string" },
  episodes: { type: "string" },
  "group-size": { type: "string" },
  "held-out": { type: "string" },
  runs: { type: "string" },
  logs: { type: "string", multiple: true },
  model: { type: "string" },
  method: { type: "string" },
  revoke: { type: "boolean" },
  environment: { type: "string" },
  yes: { type: "boolean" },
} as const;

type Values = {
  sooner?: string;
  later?: string;
  add?: string;
  undo?: boolean;
  watch?: boolean;
  name?: string;
  format?: string;
  metric?: string;
  kind?: string;
  seed?: string;
  split?: string;
  set?: string[];
  actions?: string;
  expert?: boolean;
  replay?: string[];
  baseline?: string;
  rule?: string;
  test?: string;
  level?: string;
  resamples?: string;
  episodes?: string;
  "group-size"?: string;
  "held-out"?: string;
  runs?: string;
  logs?: string[];
  model?: string;
  method?: string;
  revoke?: boolean;
  environment?: string;
  yes?: boolean;
};
type Shape = {
  /** What follows the command's own words; optional in brackets. */
  operand?: string;
  flags?: readonly (keyof Values)[];
  /** Words beyond the operand may follow: `--replay a.jsonl b.jsonl`. */
  takesMore?: true;
  make: (operand: string, values: Values, more: readonly string[]) => Command;
};

const sizeFlags = ["episodes", "group-size", "held-out"] as const;

const shapes: Record<string, Shape> = {
  "sweep run": {
    operand: "FILE.yaml",
    flags: ["watch", "name"],
    make: (file, { watch = false, name }) => ({ kind: "sweepRun", file, isWatched: watch, name }),
  },
  import: {
    operand: "FILE|FOLDER",
    flags: ["name", "method", "environment", "seed", "episodes", "group-size", "held-out"],
    takesMore: true,
    make: toImportCommand,
  },
  sweeps: { make: () => ({ kind: "sweeps" }) },
  runs: { operand: "[SWEEP]", make: (sweep) => ({ kind: "runs", sweep: sweep === "" ? undefined : sweep }) },
  cancel: { operand: "SWEEP|RUN", make: (target) => ({ kind: "cancel", target }) },
  retry: { operand: "SWEEP|RUN", make: (target) => ({ kind: "retry", target }) },
  delete: {
    operand: "SWEEP",
    flags: ["yes"],
    make: (sweep, { yes = false }) => {
      if (!yes) throw wrong(`delete forgets a sweep with all that it measured, for good: add --yes`);
      return { kind: "delete", sweep };
    },
  },
  "table verify": { operand: "HASH", make: (hash) => ({ kind: "tableVerify", hash }) },
  table: {
    operand: "SWEEP",
    flags: ["kind", "format", "metric"],
    make: (sweep, { kind = "final", format = "markdown", metric }) => ({
      kind: "table",
      sweep,
      table: parseChoice("kind", kind, tableKinds),
      format: parseChoice("format", format, tableFormats),
      metric,
    }),
  },
  objective: { operand: "FILE.json", make: (file) => ({ kind: "objective", file }) },
  detect: {
    operand: "FILE|FOLDER",
    flags: sizeFlags,
    make: (file, values) => ({ kind: "detect", file, size: toSize(values) }),
  },
  "predictor train": {
    operand: "FOLDER",
    flags: ["runs", "logs", ...sizeFlags],
    make: (folder, values) => ({
      kind: "predictorTrain",
      folder,
      numRuns: parseCount("runs", values.runs ?? "40"),
      logs: values.logs ?? [],
      size: toSize(values),
    }),
  },
  "predictor apply": {
    operand: "FILE",
    flags: ["model", ...sizeFlags],
    make: (file, values) => {
      if (values.model === undefined) throw wrong("--model FOLDER is missing: where the predictor was trained to");
      return { kind: "predictorApply", file, model: values.model, size: toSize(values) };
    },
  },
  stats: {
    operand: "FILE.csv",
    flags: ["baseline", "metric", "rule", "test", "level", "resamples", "seed"],
    make: toStatsCommand,
  },
  env: {
    operand: "[NAME]",
    flags: ["seed", "split", "set", "actions", "expert", "replay"],
    takesMore: true,
    make: toEnvironmentCommand,
  },
  token: {
    operand: "[NAME]",
    flags: ["revoke"],
    make: (name, { revoke = false }) => ({ kind: "token", name: name === "" ? "trainer" : name, isRevoked: revoke }),
  },
  pause: { operand: "SWEEP", make: (sweep) => ({ kind: "pause", sweep, intent: "pause" }) },
  resume: { operand: "SWEEP", make: (sweep) => ({ kind: "pause", sweep, intent: "run" }) },
  seeds: {
    operand: "SWEEP",
    flags: ["add", "undo"],
    make: (sweep, { add, undo = false }) => {
      if (undo && add !== undefined) throw wrong("--add and --undo: only one of them");
      if (undo) return { kind: "seedsUndo", sweep };
      return { kind: "seeds", sweep, numNew: add === undefined ? 0 : parseCount("add", add) };
    },
  },
  check: { operand: "RUN", make: (runId) => ({ kind: "check", runId }) },
  nodes: { make: () => ({ kind: "nodes" }) },
  priority: {
    operand: "SWEEP",
    flags: ["sooner", "later"],
    make: (sweep, values) => ({ kind: "priority", sweep, priority: parsePriority(values) }),
  },
  "sign-in": { make: () => ({ kind: "signIn" }) },
  help: { make: () => ({ kind: "help" }) },
};

/** Words of the shell to a command, or what is wrong with them and what exists instead. */
export function parseCommand(argv: readonly string[]): Parsed {
  const isJson = argv.includes("--json");
  try {
    refuseUnknownFlags(argv);
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const { json = false, help = false, version = false, home, ...own } = values;
    const simple = version ? "version" : help || positionals.length === 0 ? "help" : undefined;
    const command: Command = simple === undefined ? toCommand(positionals, own) : { kind: simple };
    return { kind: "command", command, home, isJson: json };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "wrong", problem: error instanceof AppError ? error : wrong(message), isJson };
  }
}

function toCommand(words: readonly string[], values: Values): Command {
  const [name, shape] = Object.entries(shapes).find(([name]) => isStart(name.split(" "), words)) ?? [];
  if (name === undefined || shape === undefined) throw unknownCommand(words);
  const [operand, ...surplus] = words.slice(name.split(" ").length);
  const usage = `npx arlarena ${[name, shape.operand].filter(Boolean).join(" ")}`;
  if (operand === undefined && shape.operand !== undefined && !shape.operand.startsWith("[")) {
    throw wrong(`${name} needs ${shape.operand}: ${usage}`);
  }
  const extra = shape.operand === undefined ? operand : shape.takesMore ? undefined : surplus[0];
  // `help sweeps` is the help too.
  if (extra !== undefined && name !== "help") throw wrong(`"${extra}" is one word too many: ${usage}`);
  const known: readonly string[] = shape.flags ?? [];
  const foreign = Object.keys(values).find((flag) => !known.includes(flag));
  if (foreign !== undefined) {
    const own = known.length === 0 ? "none of its own" : known.map((flag) => `--${flag}`).join(", ");
    throw wrong(`${name} has no option --${foreign} (it has ${own})`);
  }
  return shape.make(operand ?? "", values, surplus);
}

function toEnvironmentCommand(name: string, values: Values, more: readonly string[]): EnvironmentCommand {
  const { seed = "0", split, set: knobs = [], actions, expert = false, replay } = values;
  if (replay) {
    const other = Object.keys(values).find((flag) => flag !== "replay");
    if (other !== undefined) throw wrong(`--replay compares recordings: --${other} does not go with it`);
    if (name === "") throw wrong("--replay needs the environment's NAME: npx arlarena env NAME --replay FILE.jsonl");
    return { kind: "environmentReplay", name, files: [...replay, ...more] };
  }
  const [extra] = more;
  if (extra !== undefined) throw wrong(`"${extra}" is one word too many: npx arlarena env NAME --seed N`);
  if (name === "") {
    if (Object.keys(values).length > 0)
      throw wrong("env needs a NAME before its options: npx arlarena env NAME --seed N");
    return { kind: "environments" };
  }
  if (!/^\d{1,9}$/.test(seed)) throw wrong(`--seed ${seed}: a seed is a whole number from 0 up`);
  if (expert && actions !== undefined) throw wrong("--expert and --actions: only one of them can act");
  return {
    kind: "environmentPlay",
    name,
    seed: Number(seed),
    split: split === undefined ? undefined : parseChoice("split", split, splits),
    knobs,
    from: expert ? { kind: "expert" } : { kind: "file", file: actions ?? "-" },
  };
}

function toImportCommand(file: string, values: Values, more: readonly string[]): ImportCommand {
  const { name, method, environment, seed } = values;
  if (seed !== undefined && !/^\d{1,9}$/.test(seed)) throw wrong(`--seed ${seed}: a seed is a whole number from 0 up`);
  const count = (flag: "episodes" | "group-size" | "held-out", usual: number) =>
    values[flag] === undefined ? usual : parseCount(flag, values[flag]);
  const sampling = {
    numEpisodes: count("episodes", usualSampling.numEpisodes),
    groupSize: count("group-size", usualSampling.groupSize),
    numHeldOut: count("held-out", usualSampling.numHeldOut),
  };
  const wishes = { method, environment, seed: seed === undefined ? undefined : Number(seed), sampling };
  return { kind: "import", files: [file, ...more], name, wishes };
}

function toSize(values: Values): SamplingSize {
  return {
    numEpisodes: parseCount("episodes", values.episodes ?? "128"),
    groupSize: parseCount("group-size", values["group-size"] ?? "8"),
    numHeldOut: parseCount("held-out", values["held-out"] ?? "128"),
  };
}

const statsTests = {
  welch: "welch",
  permutation: "permutation",
  "mann-whitney": "mannWhitney",
  paired: "paired",
} as const;
const statsTestNames = ["welch", "permutation", "mann-whitney", "paired"] as const;

function toStatsCommand(file: string, values: Values): StatsCommand {
  const { baseline, metric, rule, test, level = "0.95", resamples = "10000", seed = "0" } = values;
  if (!/^0?\.\d+$/.test(level) || Number(level) < 0.5) throw wrong(`--level ${level}: a share such as 0.95`);
  if (!/^\d{3,6}$/.test(resamples)) throw wrong(`--resamples ${resamples}: a number from 100 to 999999`);
  if (!/^\d{1,9}$/.test(seed)) throw wrong(`--seed ${seed}: a seed is a whole number from 0 up`);
  return {
    kind: "stats",
    file,
    options: {
      ...(baseline !== undefined && { baseline }),
      ...(metric !== undefined && { metric }),
      ...(rule !== undefined && { rule }),
      ...(test !== undefined && { test: statsTests[parseChoice("test", test, statsTestNames)] }),
      level: Number(level),
      numResamples: Number(resamples),
      seed: Number(seed),
    },
  };
}

function isStart(start: readonly string[], words: readonly string[]): boolean {
  return start.every((word, index) => words[index] === word);
}

function unknownCommand(words: readonly string[]): AppError {
  const names = Object.keys(shapes);
  const [first = "", second = ""] = words;
  const said = first === "sweep" ? `sweep ${second}`.trim() : first;
  const near = closeMatches(first, ["sweep", ...names]).map((name) => (name === "sweep" ? "sweep run" : name));
  return unknown(`command "${said}"`, [...new Set(near)], names);
}

function refuseUnknownFlags(argv: readonly string[]): void {
  const end = argv.indexOf("--");
  for (const word of end === -1 ? argv : argv.slice(0, end)) {
    if (!word.startsWith("-") || word === "-" || word === "-h") continue;
    const [flag = ""] = word.split("=");
    const names = Object.keys(options).map((name) => `--${name}`);
    if (!names.includes(flag)) throw unknown(`option ${flag}`, closeMatches(flag, names), names);
  }
}

function unknown(what: string, close: readonly string[], names: readonly string[]): AppError {
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${names.join(", ")}`;
  return wrong(`there is no ${what}; ${hint} (npx arlarena help)`);
}

function parseChoice<Choice extends string>(flag: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text);
  if (choice === undefined) throw wrong(`--${flag} ${text}: the ${flag}s are ${choices.join(", ")}`);
  return choice;
}

function parseCount(flag: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw wrong(`--${flag} ${text}: a number from 1 to 9999999 is needed`);
  return Number(text);
}

/** Nothing said: before everybody else. */
function parsePriority({ sooner, later }: Values): number | "front" {
  if (sooner !== undefined && later !== undefined) throw wrong("--sooner and --later: only one of them goes");
  if (sooner !== undefined) return parseMinutes("sooner", sooner);
  return later === undefined ? "front" : -parseMinutes("later", later);
}

function parseMinutes(flag: string, text: string): number {
  const [, count, unit = ""] = /^(\d{1,5})(m|h|d)$/.exec(text) ?? [];
  const minutes = Number(count) * ({ m: 1, h: 60, d: 1440 }[unit] ?? NaN);
  if (Number.isNaN(minutes) || minutes > 525_600) throw wrong(`--${flag} ${text}: a time such as 30m, 2h or 1d`);
  return minutes;
}

function wrong(message: string): AppError {
  return new AppError("bad_input", message);
}
