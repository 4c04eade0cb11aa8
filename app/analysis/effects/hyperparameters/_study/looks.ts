import { unitOf } from "#server/domain/runs/table/field.ts";
import { writeFigure } from "#packages/statistics";
import { colourIndex, methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import { states } from "#app/_ui/states.ts";
import { noValue, nameLevel } from "#server/domain/analysis/hyperparameters/column.ts";
import { inWords, isYesOrNo, type Study } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";

/** Fields that can colour the runs: hue encodes methods; lightness, or a state's colour, other fields. */
export const colourings = [
  { value: "result", label: "Result" },
  { value: "stability", label: "In hindsight" },
  { value: "start", label: "Start order" },
  { value: "method", label: "Method" },
] as const;
export type Coloring = (typeof colourings)[number]["value"];

export type Look = { label: string; color: string };

export type Looks = {
  looks: Look[];
  /** For each run, the index of its colour in `looks`. */
  lookOf: number[];
};

const steps = 5;
const none: Look = { label: noValue, color: "var(--edge)" };

const outcomes = [
  "collapsed",
  "collapsed, recovered",
  "dip",
  "unclear",
  "healthy",
  "not judged",
  "not judged yet",
] as const;

function lookOfOutcome(word: string): Look {
  const known = outcomes.find((one) => one === word);
  return known ? { label: states[known].title, color: states[known].color } : none;
}

export function prepareLooks({ runs, outcome }: Pick<Study, "runs" | "outcome">, coloring: Coloring): Looks {
  switch (coloring) {
    case "result":
      if (isYesOrNo(outcome.key)) return nameLooks(inWords(outcome).values.map(nameLevel), ["no", "yes"], lookOfWord);
      return stepLooks(outcome);
    case "start":
      return startLooks(runs.map(({ startedMs }) => startedMs));
    case "stability":
      return nameLooks(
        runs.map(({ hindsight }) => hindsight ?? ""),
        outcomes,
        lookOfOutcome,
      );
    case "method": {
      const methods = [...new Set(runs.map(({ method }) => method))].sort();
      const look = (name: string) => ({ label: name, color: methodColour(colourIndex(name, methods)) });
      return nameLooks(
        runs.map(({ method }) => method),
        methods,
        look,
      );
    }
  }
}

function nameLooks(names: readonly string[], order: readonly string[], toLook: (name: string) => Look): Looks {
  const present = [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
  const kinds = [...new Set(present)];
  const labelled = kinds.map((name) => ({ ...toLook(name) }));
  return { looks: labelled, lookOf: names.map((name) => kinds.indexOf(name)) };
}

function lookOfWord(word: string): Look {
  return word === noValue ? none : { label: word, color: rampColor(word === "yes" ? 4 : 0) };
}

/** Colours runs by five bins of equal width, from the lowest value to the highest. */
function stepLooks({ key, values: all }: Study["outcome"]): Looks {
  const values = all.map((value) => (typeof value === "number" ? value : null));
  const format = (x: number) => writeFigure(x, unitOf(key));
  const numbers = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (!(high > low))
    return {
      looks: [{ label: numbers.length > 0 ? format(low) : "none", color: rampColor(2) }],
      lookOf: values.map(() => 0),
    };
  const bound = (i: number) => format(low + ((high - low) * i) / steps);
  const ramp = Array.from({ length: steps }, (_, i) => ({
    label: `${bound(i)} to ${bound(i + 1)}`,
    color: rampColor(i),
  }));
  const stepOf = (value: number) => Math.min(steps - 1, Math.floor((steps * (value - low)) / (high - low)));
  return withNone(
    ramp,
    values.map((value) => (value === null ? undefined : stepOf(value))),
  );
}

/** Colours runs by their start in five bins with equally many runs; the earliest contrasts least. */
function startLooks(values: readonly (number | null)[]): Looks {
  const order = [...values.keys()].filter((run) => values[run] !== null);
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const placeOf = new Map(order.map((run, place) => [run, Math.floor((steps * place) / order.length)]));
  const names = ["First fifth", "Second fifth", "Third fifth", "Fourth fifth", "Last fifth"];
  const ramp = names.map((label, i) => ({ label, color: rampColor(i) }));
  return withNone(
    ramp,
    [...values.keys()].map((run) => placeOf.get(run)),
  );
}

function withNone(ramp: readonly Look[], steps: readonly (number | undefined)[]): Looks {
  const used = ramp.filter((_, i) => steps.includes(i));
  const looks = steps.includes(undefined) ? [...used, none] : used;
  const lookOf = steps.map((step) => (step === undefined ? looks.length - 1 : used.indexOf(ramp[step] ?? none)));
  return { looks, lookOf };
}

/** Returns a colour of one hue in five lightness steps, 0 to 4; a higher step contrasts more with the background. */
function rampColor(step: number): string {
  return `var(--step-${step + 1})`;
}
