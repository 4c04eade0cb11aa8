import { AppError } from "#packages/base";
import { isText, propertiesOf, type JsonSchema } from "./procedures.ts";

/** Range of a list, for procedures that return one. */
export type Paging = { limit: number | undefined; offset: number };

const maxItems = 1000;

/**
 * Parses a procedure's input from query parameters: plain text where the schema expects text, JSON otherwise. Unknown
 * parameters are passed on, so that the procedure's schema rejects them by name. Throws `bad_input`.
 */
export function readParameters(input: JsonSchema | undefined, search: URLSearchParams) {
  const properties = input ? propertiesOf(input) : new Map<string, JsonSchema>();
  const values: Record<string, unknown> = {};
  const paging: Paging = { limit: undefined, offset: 0 };
  for (const name of new Set(search.keys())) {
    const [text = "", ...others] = search.getAll(name);
    if (others.length > 0) throw new AppError("bad_input", `${name}: given ${others.length + 1} times; a list is JSON`);
    const property = properties.get(name);
    if (property) values[name] = isText(property) ? text : parseJson(name, text);
    else if (name === "limit") paging.limit = readCount(name, text, 1);
    else if (name === "offset") paging.offset = readCount(name, text, 0);
    else values[name] = text;
  }
  return { values, paging };
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("bad_input", `${name}: ${JSON.stringify(text.slice(0, 80))} is no JSON; text stands in quotes`);
  }
}

function readCount(name: string, text: string, least: number): number {
  const most = name === "limit" ? maxItems : 2 ** 31 - 1;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const what = JSON.stringify(text.slice(0, 80));
  throw new AppError("bad_input", `${name}: a whole number from ${least} to ${most}, not ${what}`);
}
