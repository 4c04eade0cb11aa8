import { tryJson } from "#trainer/spec/tryJson.ts";
import {
  shortOptions,
  shortWording,
  TableOptions,
  TableWording,
} from "#server/domain/publish/tables/builder/options.ts";
import { formatCount } from "#app/_charts/format.ts";

export type Asked = { options: TableOptions; wording: TableWording };

export type Change = (asked: Asked) => Asked;

const titles: Readonly<Record<string, string>> = {
  metrics: "Metrics",
  columns: "Columns",
  references: "Rows typed in",
  without: "Rows left out",
  withoutEnvironments: "Environments left out",
  baseline: "Baseline",
  group: "Grouped by",
  caption: "Caption",
  label: "Label",
  ours: "Ours",
};

/** Returns the first reason why the server would refuse the options or texts: field, value and limit. */
export function findProblem({ options, wording }: Asked): string | undefined {
  const [issue] = [TableOptions, TableWording].flatMap((schema) => {
    const given = schema === TableOptions ? options : wording;
    return schema.safeParse(given, { reportInput: true }).error?.issues ?? [];
  });
  if (!issue) return undefined;
  const field = titles[String(issue.path[0])] ?? issue.path.join(".");
  if (issue.code !== "too_big") return `${field}: ${issue.message}`;
  const { input } = issue;
  const given = Array.isArray(input)
    ? formatCount(input.length, "entry", "entries")
    : typeof input === "string"
      ? `${formatCount(input.length, "character")} (“${input.slice(0, 20)}…”)`
      : String(input);
  return `${field}: ${given}, limit is ${issue.maximum.toLocaleString("en-US")}`;
}

/** Removes a baseline, or a row marked as "ours", that is hidden from the table; the table then uses the defaults. */
function withoutHidden({ options, wording }: Asked): Asked {
  const isHidden = (row: string | undefined) => row !== undefined && (options.without ?? []).includes(row);
  const { baseline: _, ...ownOptions } = options;
  const { ours: _ours, ...ownWording } = wording;
  return {
    options: isHidden(options.baseline) ? ownOptions : options,
    wording: isHidden(wording.ours) ? ownWording : wording,
  };
}

const lists = { metric: "metrics", without: "without", no: "withoutEnvironments" } as const;
/** Options of a table that are lists of records, which are written to the URL as JSON. */
const records = ["columns", "references"] as const;
const optionWords = ["rule", "interval", "baseline", "test", "change", "collapse", "group", "averageOf"] as const;
const optionFlags = ["tasks", "average"] as const;
const wordingWords = ["caption", "label", "ours", "width", "changeIn"] as const;
const wordingFlags = ["marks", "counts"] as const;

/** Parses a table's options and texts from a URL. Invalid values, as in old links, count as missing. */
export function parseAddress(query: URLSearchParams): Asked {
  const given: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(lists)) if (query.has(name)) given[key] = query.getAll(name);
  for (const key of [...optionWords, ...wordingWords]) if (query.has(key)) given[key] = query.get(key);
  for (const key of [...optionFlags, ...wordingFlags]) if (query.has(key)) given[key] = query.get(key) === "yes";
  for (const key of records) if (query.has(key)) given[key] = tryJson(query.get(key) ?? "");
  if (query.has("decimals")) given["decimals"] = Number(query.get("decimals"));
  return withoutHidden({
    options: shorten(TableOptions.parse(keepValid(given, TableOptions.shape))),
    wording: shortWording(TableWording.parse(keepValid(given, TableWording.shape))),
  });
}

/** Returns the URL parameters with these options and texts in place of the old ones; other parameters stay. */
export function writeAddress(query: URLSearchParams, asked: Asked): URLSearchParams {
  const { options, wording } = withoutHidden(asked);
  const written = new URLSearchParams(query);
  const names = [...optionWords, ...optionFlags, ...wordingWords, ...wordingFlags, "decimals"];
  for (const name of [...Object.keys(lists), ...names, ...records]) written.delete(name);
  const short: Readonly<Record<string, unknown>> = { ...shorten(options), ...shortWording(wording) };
  for (const [name, key] of Object.entries(lists)) {
    const values = short[key];
    if (Array.isArray(values)) for (const value of values) written.append(name, String(value));
  }
  for (const name of records) if (short[name] !== undefined) written.set(name, JSON.stringify(short[name]));
  for (const name of names) {
    const value = short[name];
    if (typeof value === "boolean") written.set(name, value ? "yes" : "no");
    else if (typeof value === "string" || typeof value === "number") written.set(name, String(value));
  }
  return written;
}

/** Removes options at their defaults. The metrics always stay, because their default depends on the logged metrics. */
function shorten({ metrics, ...options }: TableOptions): TableOptions {
  return { ...shortOptions(options), ...(metrics && { metrics }) };
}

type Shape = Readonly<Record<string, { safeParse: (value: unknown) => { success: boolean } }>>;

function keepValid(given: Readonly<Record<string, unknown>>, shape: Shape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => shape[key]?.safeParse(value).success));
}
