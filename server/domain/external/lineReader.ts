import { z } from "zod";
import { MetricValue, fromMetricValue } from "#trainer/spec/event.ts";
import type { LoggedStep } from "./point.ts";
import { parseTrlLine } from "./trl.ts";
import { parseJson, parseVerlConsole, parseVerlFile } from "./verl.ts";

export type LineDialect = "jsonLines" | "verlConsole" | "verlFile" | "trlPrinted";

/** Reads one kind of log line by line; what is no measurement is undefined. Of one log from its first line on. */
export function makeLineReader(dialect: LineDialect): (line: string) => LoggedStep | undefined {
  switch (dialect) {
    case "jsonLines":
      return parseJsonLine;
    case "verlConsole":
      return parseVerlConsole;
    case "verlFile":
      return parseVerlFile;
    case "trlPrinted": {
      // Printed lines have no step: they count from 1, and what an evaluation prints belongs to the step before it.
      let step = 0;
      return (line) => {
        const values = parseTrlLine(line);
        if (!values) return undefined;
        if (!("eval_loss" in values) || step === 0) step += 1;
        return { step, values };
      };
    }
  }
}

const Flat = z.record(z.string(), z.unknown());
const Step = z.int().min(0);

/** `{"step": 3, "loss": 0.4, …}`; `iteration` is as good as `step`, and null is a value that was not finite. */
function parseJsonLine(line: string): LoggedStep | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const found = Flat.safeParse(parseJson(line));
  if (!found.success) return undefined;
  const { step, iteration, ...rest } = found.data;
  const at = Step.safeParse(step ?? iteration);
  if (!at.success) return undefined;
  const values = Object.entries(rest).flatMap(([key, value]): [string, number][] => {
    if (value === null) return [[key, NaN]];
    if (typeof value === "boolean") return [[key, Number(value)]];
    const number = MetricValue.safeParse(value);
    return number.success ? [[key, fromMetricValue(number.data)]] : [];
  });
  return values.length === 0 ? undefined : { step: at.data, values: Object.fromEntries(values) };
}
