import { AppError, badInput, type InputIssue } from "#packages/base";
import { parseCsv } from "./parseCsv.ts";

/** Line of a file with the columns `env,subtask,method,agg,clip,adv,filter,seed,n_eval,checkpoint_rule,value`. */
export type LongRow = {
  line: number;
  env: string;
  /** Sub-task of the environment; default: "all". */
  subtask: string;
  /** Name of the method, with its setting if the file has settings: two settings count as two methods. */
  method: string;
  seed: string;
  metric: string;
  checkpointRule: string;
  /** Value of the metric; NaN if the file has no value, because the run is missing or diverged. */
  value: number;
  numEvaluations: number | undefined;
  /** Value of the column `collapsed`; undefined if the column is missing or the cell is empty. */
  isCollapsed: boolean | undefined;
};

export type LongFile = { rows: LongRow[]; ignoredColumns: string[] };

const required = ["env", "method", "seed", "value"];
const known = [
  ...required,
  "subtask",
  "setting",
  "metric",
  "checkpoint_rule",
  "n_eval",
  "collapsed",
  "agg",
  "clip",
  "adv",
  "filter",
  "run",
  "plan",
];

/** Parses a file in long format. Throws `bad_input` with up to 20 problems and their line numbers. */
export function parseLongFormat(text: string): LongFile {
  const [header, ...records] = parseCsv(text);
  if (!header) throw new AppError("bad_input", "the file is empty");
  const names = header.fields.map((name) => name.trim().toLowerCase());
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new AppError(
      "bad_input",
      `line ${header.line}: no column ${missing.join(", ")}; the columns are ${names.join(", ")}`,
    );
  }
  const issues: InputIssue[] = [];
  const rows = records.map(({ line, fields }): LongRow => {
    const problem = (path: string, message: string): void => void issues.push({ line, path, message });
    if (fields.length !== names.length) problem("", `${fields.length} fields, the header has ${names.length}`);
    const read = (name: string): string => fields[names.indexOf(name)]?.trim() ?? "";
    for (const name of ["env", "method", "seed"]) if (read(name) === "") problem(name, "is empty");
    const setting = read("setting");
    return {
      line,
      env: read("env"),
      subtask: read("subtask") || "all",
      method: setting === "" ? read("method") : `${read("method")} (${setting})`,
      seed: read("seed"),
      metric: read("metric"),
      checkpointRule: read("checkpoint_rule"),
      value: parseValue(read("value"), (message) => problem("value", message)),
      numEvaluations: parseCount(read("n_eval"), (message) => problem("n_eval", message)),
      isCollapsed: parseFlag(read("collapsed"), (message) => problem("collapsed", message)),
    };
  });
  issues.push(...findRepeats(rows));
  if (issues.length > 0) throw badInput(issues.slice(0, maxIssues));
  if (rows.length === 0) throw new AppError("bad_input", "the file has a header and no rows");
  return { rows, ignoredColumns: names.filter((name) => !known.includes(name)) };
}

const maxIssues = 20;

type Complain = (message: string) => void;

function parseValue(text: string, complain: Complain): number {
  if (/^(|-+|na|nan|null|none|[+-]?inf(inity)?)$/i.test(text)) return NaN;
  const value = Number(text);
  if (!Number.isFinite(value)) complain(`"${text}" is not a number`);
  return value;
}

function parseCount(text: string, complain: Complain): number | undefined {
  if (text === "") return undefined;
  if (!/^\d+$/.test(text)) complain(`"${text}" is not a count`);
  return Number(text);
}

function parseFlag(text: string, complain: Complain): boolean | undefined {
  if (text === "") return undefined;
  if (/^(1|true|yes)$/i.test(text)) return true;
  if (!/^(0|false|no)$/i.test(text)) complain(`"${text}" is neither true nor false`);
  return false;
}

function findRepeats(rows: readonly LongRow[]): InputIssue[] {
  const lines = new Map<string, number>();
  return rows.flatMap(({ line, env, subtask, method, seed, metric, checkpointRule }): InputIssue[] => {
    const key = JSON.stringify([env, subtask, method, seed, metric, checkpointRule]);
    const first = lines.get(key);
    if (first === undefined) {
      lines.set(key, line);
      return [];
    }
    const message = `${method}, ${env} (${subtask}), seed ${seed}: line ${first} already has a value for this run`;
    return [{ line, path: "", message }];
  });
}
