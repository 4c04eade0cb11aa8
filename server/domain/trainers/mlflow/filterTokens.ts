import { AppError } from "#packages/base";

/** A token of a filter. `name` may have quoted parts (params.`actor lr`); `text` is a quoted string. */
export type FilterToken =
  | { kind: "name"; text: string; parts: readonly string[] }
  | { kind: "text"; text: string }
  | { kind: "sign"; text: string };

/** Maximum length of a filter, or of an ordering, in characters. */
export const maxFilterLength = 4096;

/** Parses one field of a search request. Errors include the field's name. */
export function readField<Read>(field: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof AppError ? new AppError(error.code, `invalid ${field}: ${error.message}`) : error;
  }
}

/** Splits a filter into tokens, from left to right in linear time. */
export function cutFilter(filter: string): FilterToken[] {
  if (filter.length > maxFilterLength) {
    throw new AppError("bad_input", `the filter has ${filter.length} characters, the limit is ${maxFilterLength}`);
  }
  const tokens: FilterToken[] = [];
  let at = 0;
  while (at < filter.length) {
    const character = filter.charAt(at);
    const sign = /[=!<>(),]/.test(character)
      ? (signs.find((one) => filter.startsWith(one, at)) ?? character)
      : undefined;
    if (/\s/.test(character)) at += 1;
    else if (sign !== undefined) {
      tokens.push({ kind: "sign", text: sign });
      at += sign.length;
    } else if (character === "'" || character === '"') {
      const end = closing(filter, at);
      tokens.push({ kind: "text", text: filter.slice(at + 1, end) });
      at = end + 1;
    } else {
      const { parts, end } = readName(filter, at);
      tokens.push({ kind: "name", text: filter.slice(at, end), parts });
      at = end;
    }
  }
  return tokens;
}

const signs = ["!=", "<>", "<=", ">="] as const;

/** Reads a name up to the next space or operator. The parts are the texts before and after the first unquoted dot. */
function readName(filter: string, start: number): { parts: string[]; end: number } {
  const parts = [""];
  let at = start;
  while (at < filter.length && !/[\s=!<>(),]/.test(filter.charAt(at))) {
    const character = filter.charAt(at);
    const isQuote = character === "`" || character === '"' || character === "'";
    const end = isQuote ? closing(filter, at) : at;
    if (character === "." && parts.length === 1) parts.push("");
    else parts[parts.length - 1] += isQuote ? filter.slice(at + 1, end) : character;
    at = end + 1;
  }
  return { parts, end: at };
}

function closing(filter: string, start: number): number {
  const end = filter.indexOf(filter.charAt(start), start + 1);
  if (end === -1) {
    throw new AppError("bad_input", `the ${filter.charAt(start)} at character ${start + 1} is never closed`);
  }
  return end;
}
