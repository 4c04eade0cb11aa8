import { z } from "zod";
import { LoggedObject, numbersOf, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";

const Step = z.int().min(0);

/** How lines call the step, the surest name first; W&B's histories say `_step`. */
const stepKeys = ["step", "iteration", "_step", "global_step"] as const;

/**
 * One line of JSON with a step and its metrics: beside it (`{"step": 3, "loss": 0.4}`), under `values`, or under `data`
 * as verl's `file` logger writes them. Undefined for a line without a step or without a metric.
 */
export function parseJsonLine(line: string): LoggedStep | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const found = LoggedObject.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const stepKey = stepKeys.find((key) => found.data[key] !== undefined);
  const step = Step.safeParse(stepKey && found.data[stepKey]);
  if (!step.success) return undefined;
  const beside = Object.entries(found.data).filter(([key]) => key !== stepKey);
  const inside = [found.data["values"], found.data["data"]].find((one) => LoggedObject.safeParse(one).success);
  const { time, ...values } = numbersOf(LoggedObject.safeParse(inside).data ?? Object.fromEntries(beside));
  // Unix time, as prime-rl has it beside the metrics; a duration is a metric.
  const isClock = time !== undefined && time > 1e9;
  const measured = ofOneProcess(time === undefined || isClock ? values : { ...values, time });
  if (Object.keys(measured).length === 0) return undefined;
  return { step: step.data, values: measured, ...(isClock && { atMs: time * 1000 }) };
}

/**
 * prime-rl's trainer and its orchestrator write into one file, both of them times under the same names: those of a row
 * that waits for a policy are the orchestrator's. Taken for one metric they would look like a run that goes back.
 */
function ofOneProcess(values: Record<string, number>): Record<string, number> {
  if (values["time/wait_for_policy"] === undefined) return values;
  const rename = (key: string) => (key.startsWith("time/") ? `orchestrator/${key}` : key);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(key), value]));
}
