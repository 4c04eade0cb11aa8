import { consoles, isConsoleKind, type ConsoleKind } from "./consoles/consoles.ts";
import { parseJson } from "./pythonJson.ts";
import { LoggedObject, type LoggedStep, numbersOf, parseNumber, splitStep } from "./point.ts";
import { splitHead } from "./text/joiner.ts";
import { parsePrinted } from "./text/printed.ts";
import { makeTrlSteps, readTrlLine, readTrlPlan, type TrlPlan } from "./trl.ts";
import { stripColours } from "./text/pieces.ts";
import { z } from "zod";

export type LineDialect = "jsonLines" | "verlConsole" | "verlFile" | "trlPrinted" | ConsoleKind;

/**
 * Makes a reader of log lines, which receives a log line by line from the first line on. The reader returns undefined
 * for lines without measurements. `plan`: printing schedule of a trainer that prints no steps; without a plan, each
 * training line is the next step.
 */
export function makeLineReader(
  dialect: LineDialect,
  plan: TrlPlan = readTrlPlan([]),
): (line: string) => LoggedStep | undefined {
  if (isConsoleKind(dialect)) return ofPlainLine(consoles[dialect].make());
  switch (dialect) {
    case "jsonLines":
      return parseJsonLine;
    case "verlConsole":
      return parseVerlConsole;
    case "verlFile":
      return parseVerlFile;
    case "trlPrinted": {
      const stepOf = makeTrlSteps(plan);
      let last: number | undefined;
      return (line) => {
        const found = readTrlLine(line);
        if (!found) return undefined;
        const { values } = found;
        const step = stepOf(values);
        // The summary at the end of a training is recognised, although its step is unknown.
        if (step === undefined) return last === undefined ? undefined : { step: last, values: {} };
        return { step: (last = found.step ?? step), values };
      };
    }
  }
}

function ofPlainLine(read: (line: string) => LoggedStep | undefined) {
  return (line: string) => read(stripColours(line));
}

/**
 * Parses a JSON line with a step and its metrics. Metrics are beside the step (`{"step": 3, "loss": 0.4}`), under
 * `values` or `metrics`, or under `data` as in verl's `file` logger. Accepts Python's dictionary notation and a logger's prefix.
 * Undefined without a step or without a metric.
 */
export function parseJsonLine(line: string): LoggedStep | undefined {
  const { body, step: stated } = splitHead(line.trimStart()) ?? {};
  if (body === undefined) return undefined;
  const found = LoggedObject.safeParse(parseJson(body) ?? parsePrinted(body));
  if (!found.success) return undefined;
  const { step = stated, rest } = splitStep(found.data);
  if (step === undefined) return undefined;
  const inside = [found.data["values"], found.data["data"]].find((one) => LoggedObject.safeParse(one).success);
  const { metrics, ...others } = rest;
  const beside = LoggedObject.safeParse(metrics);
  const nulls: string[] = [];
  const fields = LoggedObject.safeParse(inside).data ?? (beside.success ? { ...others, ...beside.data } : rest);
  const texts: Record<string, string> = {};
  const { time, ...values } = numbersOf(fields, nulls, texts);
  const hasTexts = Object.keys(texts).length > 0;
  // prime-rl logs the Unix time beside the metrics, whereas a duration is a metric.
  const isClock = time !== undefined && time > 1e9;
  const measured = ofOneProcess(time === undefined || isClock ? values : { ...values, time });
  if (Object.keys(measured).length === 0 && nulls.length === 0 && !hasTexts) return undefined;
  return {
    step,
    values: measured,
    ...(isClock && { atMs: time * 1000 }),
    ...(nulls.length > 0 && { nulls }),
    ...(hasTexts && { texts }),
  };
}

/**
 * Renames times that prime-rl's orchestrator logs. Trainer and orchestrator write into one file, with times under the
 * same names. A line with a time for waiting for a policy is the orchestrator's. If both were merged into one metric,
 * they would look like a run that went back to earlier steps.
 */
function ofOneProcess(values: Record<string, number>): Record<string, number> {
  if (values["time/wait_for_policy"] === undefined) return values;
  const rename = (key: string) => (key.startsWith("time/") ? `orchestrator/${key}` : key);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [rename(key), value]));
}

/** Parses `step:12 - actor/pg_loss:-0.0031 - …` with any prefix of Ray. Drops text values, as in verl's logger. */
export function parseVerlConsole(line: string): LoggedStep | undefined {
  const match = /(?<![A-Za-z_/])step:(\d+) - (.*)$/.exec(stripColours(line));
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const values: Record<string, number> = {};
  for (const part of match[2].split(" - ")) {
    // Keys may contain colons, so the value follows the last colon.
    const colon = part.lastIndexOf(":");
    const value = parseNumber(part.slice(colon + 1));
    if (colon > 0 && value !== undefined) values[part.slice(0, colon).trim()] = value;
  }
  return { step: Number(match[1]), values };
}

const FileLine = z.object({ step: z.int(), data: LoggedObject });

/** Parses a line of verl's `file` logger. The logger writes NaN and ±Infinity as null, which is read as NaN. */
export function parseVerlFile(line: string): LoggedStep | undefined {
  const found = FileLine.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const nulls: string[] = [];
  const values = numbersOf(found.data.data, nulls);
  for (const key of nulls) values[key] = NaN;
  return { step: found.data.step, values };
}
