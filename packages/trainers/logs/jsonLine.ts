import { LoggedObject, numbersOf, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { splitStep } from "./stepOf.ts";
import { splitHead } from "./text/head.ts";
import { parsePrinted } from "./text/printed.ts";

/**
 * Parses a JSON line with a step and its metrics: beside it (`{"step": 3, "loss": 0.4}`), under `values`, or under
 * `data` as in verl's `file` logger. Accepts Python's dictionary notation and a logger's prefix. Undefined without a
 * step or without a metric.
 */
export function parseJsonLine(line: string): LoggedStep | undefined {
  const { body, step: stated } = splitHead(line.trimStart()) ?? {};
  if (body === undefined) return undefined;
  const found = LoggedObject.safeParse(parseJson(body) ?? parsePrinted(body));
  if (!found.success) return undefined;
  const { step = stated, rest } = splitStep(found.data);
  if (step === undefined) return undefined;
  const inside = [found.data["values"], found.data["data"]].find((one) => LoggedObject.safeParse(one).success);
  const nulls: string[] = [];
  const { time, ...values } = numbersOf(LoggedObject.safeParse(inside).data ?? rest, nulls);
  // Unix time, which prime-rl logs beside the metrics; a duration is a metric.
  const isClock = time !== undefined && time > 1e9;
  const measured = ofOneProcess(time === undefined || isClock ? values : { ...values, time });
  if (Object.keys(measured).length === 0 && nulls.length === 0) return undefined;
  return { step, values: measured, ...(isClock && { atMs: time * 1000 }), ...(nulls.length > 0 && { nulls }) };
}

/**
 * prime-rl's trainer and orchestrator write into one file, with times under the same names. Times in a row that waits
 * for a policy are the orchestrator's. Merged into one metric they would look like a run that goes back.
 */
function ofOneProcess(values: Record<string, number>): Record<string, number> {
  if (values["time/wait_for_policy"] === undefined) return values;
  const rename = (key: string) => (key.startsWith("time/") ? `orchestrator/${key}` : key);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(key), value]));
}
