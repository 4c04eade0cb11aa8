import { z } from "zod";
import { fromMetricValue, MetricValue } from "#trainer/spec/event.ts";
import { toCanonical } from "../external/canonical.ts";
import { parseTrainerState, parseTrlLine } from "../external/trl.ts";
import { parseJson, parseVerlConsole, parseVerlFile } from "../external/verl.ts";
import { parseEvent, parseEventLog } from "./eventLog.ts";
import { joinPoints, type Point } from "./point.ts";

export type LogFormat = "events" | "metrics" | "verlConsole" | "verlFile" | "trlState" | "trlPrinted";

/** A run read from a log of any of the known kinds, under the catalogue's keys. */
export type ParsedLog = {
  format: LogFormat;
  points: Point[];
  /** The log's own key of each of the catalogue's that it has. */
  originals: Record<string, string>;
  /** Lines that are no measurements. */
  numOtherLines: number;
};

type Logged = Point & { originals?: Record<string, string> };

/** Ways to read one line, the surest first. TRL's printed lines have no step: they count from 1. */
const readers: readonly { format: LogFormat; read: (line: string, numBefore: number) => Logged | undefined }[] = [
  {
    format: "verlFile",
    read: (line) => {
      const found = parseVerlFile(line);
      return found && rename(found.step, found.values, "verl");
    },
  },
  { format: "metrics", read: parseMetricsLine },
  {
    format: "verlConsole",
    read: (line) => {
      const found = parseVerlConsole(line);
      return found && rename(found.step, found.values, "verl");
    },
  },
  {
    format: "trlPrinted",
    read: (line, numBefore) => {
      const values = parseTrlLine(line);
      // What an evaluation prints belongs to the training step before it.
      const isEvaluation = values !== undefined && "eval_loss" in values && numBefore > 0;
      return values && rename(isEvaluation ? numBefore : numBefore + 1, values, "trl");
    },
  },
];

/** Undefined when nothing in the text is a measurement. */
export function parseLog(text: string): ParsedLog | undefined {
  const state = parseTrainerState(text);
  if (state)
    return join(
      "trlState",
      state.map(({ step, values }) => rename(step, values, "trl")),
      0,
    );
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.some((line) => parseEvent(line)?.type === "metrics")) {
    const numOtherLines = lines.filter((line) => parseEvent(line)?.type !== "metrics").length;
    return { format: "events", points: parseEventLog(text), originals: {}, numOtherLines };
  }
  const read = readers.map(({ format, read }) => {
    const found: Logged[] = [];
    for (const line of lines) {
      const point = read(line, found.at(-1)?.iteration ?? 0);
      if (point) found.push(point);
    }
    return { format, found };
  });
  const best = read.reduce((most, other) => (other.found.length > most.found.length ? other : most));
  return best.found.length === 0 ? undefined : join(best.format, best.found, lines.length - best.found.length);
}

const Flat = z.record(z.string(), z.unknown());

/** `{"iteration": 3, "update/gradientNorm": 0.4, …}`, or the metrics under `values`; `step` is as good as `iteration`. */
function parseMetricsLine(line: string): Logged | undefined {
  const found = Flat.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const { iteration, step, values, ...flat } = found.data;
  const at = z
    .int()
    .min(0)
    .safeParse(iteration ?? step);
  const own = Flat.safeParse(values).data ?? flat;
  if (!at.success) return undefined;
  const numbers = Object.entries(own).flatMap(([key, value]): [string, number][] => {
    if (value === null) return [[key, NaN]];
    const number = MetricValue.safeParse(value);
    return number.success ? [[key, fromMetricValue(number.data)]] : [];
  });
  return numbers.length === 0 ? undefined : { iteration: at.data, values: Object.fromEntries(numbers) };
}

function rename(step: number, values: Record<string, number>, dialect: "verl" | "trl"): Logged {
  const { values: known, originals } = toCanonical(values, dialect);
  return { iteration: step, values: known, originals };
}

function join(format: LogFormat, found: readonly Logged[], numOtherLines: number): ParsedLog {
  const originals: Record<string, string> = {};
  for (const point of found) Object.assign(originals, point.originals);
  // A log that goes on from an earlier step is a run that resumed: what it had logged beyond that is gone.
  const lines = found.map(({ iteration, values }, i) => ({
    iteration,
    values,
    isRestart: iteration < (found[i - 1]?.iteration ?? 0),
  }));
  return { format, points: joinPoints(lines), originals, numOtherLines };
}
