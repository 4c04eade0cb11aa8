import { z } from "zod";
import { type LoggedStep, numbersOf, splitStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { splitHead } from "./text/joiner.ts";
import { findEnd, parsePrinted } from "./text/printed.ts";
import { makeUnread, type Unread } from "./unread.ts";

const State = z.object({ log_history: z.array(z.record(z.string(), z.unknown())) });
const Step = z.int().min(0);

type TrainerState = {
  steps: LoggedStep[];
  unread: Unread;
  /** True if the file ends within the log history, whose incomplete last entry is then dropped. */
  isCut: boolean;
};

/** Log history of a `trainer_state.json`; undefined for other text. Entries without a step are no measurements. */
export function parseTrainerState(text: string): TrainerState | undefined {
  const whole = readLogHistory(text);
  const entries = whole ?? readLogHistory(closeHistory(text));
  if (!entries) return undefined;
  const unread = makeUnread();
  for (const entry of entries) if (typeof entry === "string") unread.add(entry);
  const steps = entries.filter((entry) => typeof entry !== "string");
  return { steps, unread: unread.read(), isCut: whole === undefined };
}

/** Log history entry by entry, those without a step as text; undefined for any other text. */
export function readLogHistory(text: string): (LoggedStep | string)[] | undefined {
  if (!text.includes('"log_history"')) return undefined;
  const found = State.safeParse(parseJson(text));
  if (!found.success) return undefined;
  return found.data.log_history.map((entry) => {
    const { step, ...rest } = entry;
    const at = Step.safeParse(step);
    return at.success ? { step: at.data, values: numbersOf(rest) } : JSON.stringify(entry);
  });
}

/** Completes a `trainer_state.json` that was cut off: closes it after its last complete entry. */
function closeHistory(text: string): string {
  const found = /"log_history"\s*:\s*\[/.exec(text);
  if (!found) return "";
  const start = found.index + found[0].length;
  let last = start;
  for (let open = text.indexOf("{", start); open !== -1; open = text.indexOf("{", last)) {
    const end = findEnd(text, open);
    if (end === -1) break;
    last = end;
  }
  return `{"log_history": [${text.slice(start, last)}]}`;
}

/** Dictionary that the Transformers trainer prints, `{'loss': -0.01, 'epoch': 0.03}`; undefined for other lines. */
export function parseTrlLine(line: string): Record<string, number> | undefined {
  return readTrlLine(line)?.values;
}

/** Parses a line like `parseTrlLine`, with the step if stated, as by ms-swift (`'global_step/max_steps': '1/187'`). */
export function readTrlLine(line: string): { values: Record<string, number>; step: number | undefined } | undefined {
  const { body, step: step0 } = splitHead(line) ?? {};
  if (body === undefined || !/^\{\s*'/.test(body)) return undefined;
  const found = parsePrinted(body);
  if (found === undefined) return undefined;
  const { step = step0, rest } = splitStep(found);
  const values = numbersOf(rest);
  return Object.keys(values).length > 0 ? { values, step } : undefined;
}

/** Transformers' printing schedule in optimizer steps; a field is undefined if the command does not state it. */
export type TrlPlan = {
  loggingSteps: number | undefined;
  /** True if step 1 is logged in addition to the multiples of `loggingSteps`. */
  logsFirstStep: boolean;
  evalSteps: number | undefined;
  /** Step before which no scheduled evaluation is due. */
  evalDelay: number;
  evaluatesOnStart: boolean;
  maxSteps: number | undefined;
  /** Checkpoint from which the program may resume; the program's first line shows if it does. */
  checkpoint?: { step: number; epoch: number | undefined } | undefined;
};

/** Reads how often TRL prints metrics from its command line; the last occurrence of an option applies. */
export function readTrlPlan(argv: readonly string[]): TrlPlan {
  const options = readArguments(argv);
  const readNumber = (name: string): number | undefined => {
    const value = Number(options.get(name) ?? NaN);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const isSet = (name: string) => /^(true|yes|on|t|y|1)$/i.test(options.get(name) ?? "");
  const maxSteps = readNumber("max_steps");
  // A number below 1 is a fraction of the total number of steps.
  const toSteps = (number: number | undefined): number | undefined => {
    if (number === undefined || number >= 1) return number;
    return maxSteps === undefined ? undefined : Math.ceil(maxSteps * number);
  };
  const countsSteps = (name: string) => (options.get(name) ?? "steps") === "steps";
  const loggingSteps = countsSteps("logging_strategy") ? toSteps(readNumber("logging_steps")) : undefined;
  const evalSteps = toSteps(readNumber("eval_steps")) ?? (options.has("eval_strategy") ? loggingSteps : undefined);
  return {
    loggingSteps,
    logsFirstStep: isSet("logging_first_step"),
    evalSteps: countsSteps("eval_strategy") ? evalSteps : undefined,
    evalDelay: readNumber("eval_delay") ?? 0,
    evaluatesOnStart: isSet("eval_on_start"),
    maxSteps,
  };
}

/** `--name value`, `--name=value`, and `--name` as true. A hyphen in a name equals an underscore. */
export function readArguments(argv: readonly string[]): Map<string, string> {
  const options = new Map<string, string>();
  argv.forEach((argument, i) => {
    const [, name, given] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (name === undefined) return;
    const next = argv[i + 1];
    options.set(name.replaceAll("-", "_"), given ?? (next === undefined || next.startsWith("--") ? "true" : next));
  });
  return options;
}

type Values = Readonly<Record<string, number>>;
type Position = {
  start: number;
  trained: number;
  /** Last line of training metrics. */
  line?: Values;
  /** True if several nodes print each line, as the first two lines show. */
  hasCopies?: boolean;
  evaluated: { step: number; keys: ReadonlySet<string> } | undefined;
};

/** Assigns to each printed line, in order, its step; undefined for the training's last line (`train_runtime`). */
export function makeTrlSteps(plan: TrlPlan): (values: Values) => number | undefined {
  const { checkpoint } = plan;
  let position: Position | undefined;
  let hasLoss = false;
  return (values) => {
    if ("train_runtime" in values) return undefined;
    position ??= beginAt(chooseStart(plan, values));
    const keys = Object.keys(values).filter((key) => key.startsWith("eval_"));
    const isTraining = keys.length === 0 && ("loss" in values || !hasLoss);
    hasLoss ||= "loss" in values;
    if (keys.length > 0) {
      const step = evaluationAfter(plan, position, keys);
      const before = position.evaluated?.step === step ? position.evaluated.keys : [];
      position = { ...position, evaluated: { step, keys: new Set([...before, ...keys]) } };
      return step;
    }
    // Other lines that are printed between two lines of training metrics belong to the earlier step.
    if (isTraining) position = { ...position, ...placeTraining(plan, position, values) };
    return position.trained;
  };

  function chooseStart(of: TrlPlan, first: Values): number {
    if (checkpoint === undefined) return 0;
    const { step, epoch } = checkpoint;
    const reached = first["epoch"];
    if (epoch === undefined || epoch === 0 || reached === undefined) return step;
    // Epochs are proportional to steps, and the checkpoint states its step and its epoch.
    const estimate = (reached / epoch) * step;
    const stepFrom = (start: number) => {
      const keys = Object.keys(first).filter((key) => key.startsWith("eval_"));
      return keys.length > 0 ? evaluationAfter(of, beginAt(start), keys) : trainingAfter(of, start);
    };
    return Math.abs(estimate - stepFrom(step)) <= Math.abs(estimate - stepFrom(0)) ? step : 0;
  }
}

function beginAt(start: number): Position {
  return { start, trained: start, evaluated: undefined };
}

/** Places a line of training metrics after the previous one, or where its epoch is, if a requeued job went back. */
function placeTraining(plan: TrlPlan, { trained, line, hasCopies }: Position, values: Values): Partial<Position> {
  const { epoch = NaN } = values;
  const isCopy = line !== undefined && !Number.isNaN(epoch) && JSON.stringify(line) === JSON.stringify(values);
  if (isCopy && hasCopies !== false) return { hasCopies: true };
  const { loggingSteps = 1 } = plan;
  const isBack = line !== undefined && epoch < (line["epoch"] ?? NaN);
  const reached = isBack ? Math.round(((epoch / (line["epoch"] ?? NaN)) * trained) / loggingSteps) * loggingSteps : NaN;
  return {
    line: values,
    trained: reached > 0 ? reached : trainingAfter(plan, trained),
    ...(line !== undefined && { hasCopies: hasCopies === true }),
  };
}

function trainingAfter({ loggingSteps = 1, logsFirstStep }: TrlPlan, step: number): number {
  return logsFirstStep && step < 1 ? 1 : (Math.floor(step / loggingSteps) + 1) * loggingSteps;
}

/** Returns an evaluation's step: scheduled before the next line of training metrics, else that of the last one. */
function evaluationAfter(plan: TrlPlan, { start, trained, evaluated }: Position, keys: readonly string[]): number {
  const { evalSteps, evalDelay, evaluatesOnStart, maxSteps = Infinity } = plan;
  // Several datasets are evaluated at the same step, under different names.
  if (evaluated && evaluated.step >= trained && !keys.some((key) => evaluated.keys.has(key))) return evaluated.step;
  if (evaluatesOnStart && evaluated === undefined && trained === start) return start;
  if (evalSteps === undefined) return trained;
  const after = Math.max(evaluated?.step ?? start, trained - 1, evalDelay - 1);
  // The last step is evaluated too, for any evaluation interval.
  const step = Math.min((Math.floor(after / evalSteps) + 1) * evalSteps, maxSteps);
  return step < trainingAfter(plan, trained) || step === maxSteps ? step : trained;
}
