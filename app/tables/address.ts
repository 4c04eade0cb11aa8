import { shortOptions, shortWording, TableOptions, TableWording } from "#server/domain/tables/builder/options.ts";

/** A table as its address says it. */
export type Asked = { options: TableOptions; wording: TableWording };

const lists = { metric: "metrics", without: "without", no: "withoutEnvironments" } as const;
const optionWords = ["rule", "interval", "baseline", "test", "change", "collapse", "group"] as const;
const optionFlags = ["tasks", "average"] as const;
const wordingWords = ["caption", "label", "ours", "width"] as const;
const wordingFlags = ["marks", "counts"] as const;

/** Reads an address. A part that means nothing, as in an old link, counts as not given. */
export function parseAddress(query: URLSearchParams): Asked {
  const given: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(lists)) if (query.has(name)) given[key] = query.getAll(name);
  for (const key of [...optionWords, ...wordingWords]) if (query.has(key)) given[key] = query.get(key);
  for (const key of [...optionFlags, ...wordingFlags]) if (query.has(key)) given[key] = query.get(key) === "yes";
  if (query.has("decimals")) given["decimals"] = Number(query.get("decimals"));
  return {
    options: shortOptions(TableOptions.parse(keepValid(given, TableOptions.shape))),
    wording: shortWording(TableWording.parse(keepValid(given, TableWording.shape))),
  };
}

/** Writes a table into an address, over what it said of tables before; sweeps and the rest stay. */
export function writeAddress(query: URLSearchParams, { options, wording }: Asked): URLSearchParams {
  const written = new URLSearchParams(query);
  const names = [...optionWords, ...optionFlags, ...wordingWords, ...wordingFlags, "decimals"];
  for (const name of [...Object.keys(lists), ...names]) written.delete(name);
  const short: Readonly<Record<string, unknown>> = { ...shortOptions(options), ...shortWording(wording) };
  for (const [name, key] of Object.entries(lists)) {
    const values = short[key];
    if (Array.isArray(values)) for (const value of values) written.append(name, String(value));
  }
  for (const name of names) {
    const value = short[name];
    if (typeof value === "boolean") written.set(name, value ? "yes" : "no");
    else if (typeof value === "string" || typeof value === "number") written.set(name, String(value));
  }
  return written;
}

type Shape = Readonly<Record<string, { safeParse: (value: unknown) => { success: boolean } }>>;

function keepValid(given: Readonly<Record<string, unknown>>, shape: Shape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => shape[key]?.safeParse(value).success));
}
