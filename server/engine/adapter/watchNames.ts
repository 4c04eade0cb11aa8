import { nameAlone } from "#packages/trainers";
import type { Measurements } from "./measurements.ts";

type Report = (text: string) => void;
type Seen = { step: number; keys: readonly string[] };

/**
 * Reports each metric that the plan names (`names`: trainer's name → studio's) and that the program does not log in its
 * first evaluation or, for metrics of training, in its first step. A step is complete once a later one arrives.
 */
export function watchNames(
  measurements: Measurements,
  names: Readonly<Record<string, string>>,
  report: Report,
): Measurements {
  if (Object.keys(names).length === 0) return measurements;
  const watch = makeWatch(names, report);
  return {
    ...measurements,
    addRead: (step) => {
      watch.see({ step: step.step, keys: Object.keys(step.values) });
      measurements.addRead(step);
    },
    addSent: async (metrics) => {
      for (const { key, step } of metrics) watch.see({ step, keys: [key] });
      await measurements.addSent(metrics);
    },
    finish: async () => {
      watch.end();
      return await measurements.finish();
    },
  };
}

function makeWatch(names: Readonly<Record<string, string>>, report: Report) {
  const left = new Map(Object.entries(names));
  /** First step with a metric of an evaluation and of training, and the metrics of that step. */
  const first: Record<Part, { step: number; keys: Set<string> } | undefined> = {
    evaluation: undefined,
    training: undefined,
  };
  let last = 0;
  const settle = (part: Part): void => {
    const found = first[part];
    for (const [own, name] of left) {
      if (partOf(name) !== part) continue;
      left.delete(own);
      report(describe({ own, name, part, found, last }));
    }
  };
  return {
    see({ step, keys }: Seen): void {
      for (const part of parts) if (step > (first[part]?.step ?? Infinity)) settle(part);
      last = Math.max(last, step);
      for (const key of keys) {
        left.delete(key);
        const part = partOf(nameAlone(key) ?? names[key] ?? key);
        // A step 0 has the evaluation before training alone.
        if (part === "training" && step === 0) continue;
        const found = (first[part] ??= { step, keys: new Set() });
        if (found.step === step) found.keys.add(key);
      }
    },
    end(): void {
      if (last > 0) for (const part of ["training", "evaluation"] as const) settle(part);
    },
  };
}

const parts = ["evaluation", "training"] as const;
type Part = (typeof parts)[number];

function partOf(name: string): Part {
  return /^(?:eval|val|test)/i.test(name) ? "evaluation" : "training";
}

type Absent = {
  own: string;
  name: string;
  part: Part;
  found: { step: number; keys: Set<string> } | undefined;
  last: number;
};

function describe({ own, name, part, found, last }: Absent): string {
  const begin = `the plan names ${own} as ${name}, but the program`;
  if (!found) return `${begin} logged no ${part === "evaluation" ? "evaluation" : "step"} by its end (step ${last})`;
  const similar = [...found.keys].filter((key) => nameAlone(key) === name);
  const instead = similar.length === 0 ? "" : `; it logged ${similar.join(", ")}: name that in the plan`;
  return `${begin}'s first ${part === "evaluation" ? "evaluation" : "step"} (step ${found.step}) did not log it${instead}`;
}
