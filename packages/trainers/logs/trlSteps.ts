/**
 * Printing schedule of a Transformers trainer in optimizer steps: a training line every `loggingSteps`, and one per
 * evaluation. Undefined: not stated in the command.
 */
export type TrlPlan = {
  loggingSteps: number | undefined;
  /** True if step 1 is logged as well. */
  logsFirstStep: boolean;
  evalSteps: number | undefined;
  /** First step with an evaluation. */
  evalDelay: number;
  evaluatesOnStart: boolean;
  maxSteps: number | undefined;
  /** Checkpoint from which the program may resume: only its first line shows whether it does. */
  checkpoint?: { step: number; epoch: number | undefined } | undefined;
};

/** Schedule from a command line, parsed like Transformers' arguments: the last occurrence of an option counts. */
export function readTrlPlan(argv: readonly string[]): TrlPlan {
  const options = readArguments(argv);
  const readNumber = (name: string): number | undefined => {
    const value = Number(options.get(name) ?? NaN);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const isSet = (name: string) => /^(true|yes|on|t|y|1)$/i.test(options.get(name) ?? "");
  const maxSteps = readNumber("max_steps");
  // A number below 1 is a fraction of all steps.
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

/** Parses `--name value`, `--name=value`, and `--name` as true; a hyphen in a name equals an underscore. */
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
type Position = { start: number; trained: number; evaluated: { step: number; keys: ReadonlySet<string> } | undefined };

/**
 * Assigns each printed line, in order, the step at which it was logged. The closing line of the training
 * (`train_runtime`) has none: undefined.
 */
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
    // Other lines printed between two training lines belong to the earlier step.
    if (isTraining) position = { ...position, trained: trainingAfter(plan, position.trained) };
    return position.trained;
  };

  function chooseStart(of: TrlPlan, first: Values): number {
    if (checkpoint === undefined) return 0;
    const { step, epoch } = checkpoint;
    const reached = first["epoch"];
    if (epoch === undefined || epoch === 0 || reached === undefined) return step;
    // Epochs are proportional to steps, and the checkpoint states both.
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

function trainingAfter({ loggingSteps = 1, logsFirstStep }: TrlPlan, step: number): number {
  return logsFirstStep && step < 1 ? 1 : (Math.floor(step / loggingSteps) + 1) * loggingSteps;
}

/** Evaluation step between the last training line and the next; if the plan has none, the step of the last line. */
function evaluationAfter(plan: TrlPlan, { start, trained, evaluated }: Position, keys: readonly string[]): number {
  const { evalSteps, evalDelay, evaluatesOnStart, maxSteps = Infinity } = plan;
  // Several datasets are evaluated at one step, under different names.
  if (evaluated && evaluated.step >= trained && !keys.some((key) => evaluated.keys.has(key))) return evaluated.step;
  if (evaluatesOnStart && evaluated === undefined && trained === start) return start;
  if (evalSteps === undefined) return trained;
  const after = Math.max(evaluated?.step ?? start, trained - 1, evalDelay - 1);
  // The last step is evaluated too, whatever the interval.
  const step = Math.min((Math.floor(after / evalSteps) + 1) * evalSteps, maxSteps);
  return step < trainingAfter(plan, trained) || step === maxSteps ? step : trained;
}
