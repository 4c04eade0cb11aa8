import { z } from "zod";
import { numbersOf, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";

const Line = z.record(z.string(), z.unknown());
const Step = z.int().min(0);

/** How lines call the step, the surest name first; W&B's histories say `_step`. */
const stepKeys = ["step", "iteration", "_step", "global_step"] as const;

/**
 * One line of JSON with a step and its metrics: beside it (`{"step": 3, "loss": 0.4}`), under `values`, or under `data`
 * as verl's `file` logger writes them. Undefined for a line without a step or without a metric.
 */
export function parseJsonLine(line: string): LoggedStep | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const found = Line.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const stepKey = stepKeys.find((key) => found.data[key] !== undefined);
  const step = Step.safeParse(stepKey && found.data[stepKey]);
  if (!step.success) return undefined;
  const beside = Object.entries(found.data).filter(([key]) => key !== stepKey);
  const inside = [found.data["values"], found.data["data"]].find((one) => Line.safeParse(one).success);
  const values = numbersOf(Line.safeParse(inside).data ?? Object.fromEntries(beside));
  return Object.keys(values).length === 0 ? undefined : { step: step.data, values };
}
