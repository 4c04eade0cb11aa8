import { z } from "zod";
import { CellSpec } from "#trainer/spec/run.ts";
import { closeMatches } from "./closeMatches.ts";
import { type AppError, badInput, formatCount } from "#packages/base";

/** A problem in a plan, at a path of keys and indices; the message names the value and the limit. */
export type Problem = { path: readonly PropertyKey[]; message: string };

/**
 * Explains a zod issue in plain words. Zod must parse with `reportInput: true`; otherwise the given value is unknown.
 */
export function explainIssue(issue: z.core.$ZodIssue): Problem[] {
  const { path } = issue;
  const given = quote(issue.input);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key], message: describeUnknown("key", key, vocabulary()) }));
    case "too_small":
      return [{ path, message: describeLimit(issue, issue.inclusive === false ? "above" : "at least", issue.minimum) }];
    case "too_big":
      return [{ path, message: describeLimit(issue, issue.inclusive === false ? "below" : "at most", issue.maximum) }];
    case "invalid_type":
      if (issue.input === undefined) return [{ path, message: `is missing (${describeType(issue.expected)})` }];
      return [{ path, message: `is ${given}, must be ${describeType(issue.expected)}` }];
    case "invalid_value":
      if (issue.input === undefined) return [{ path, message: `is missing (one of ${issue.values.join(", ")})` }];
      return [{ path, message: describeUnknown("value", bare(issue.input), issue.values.map(String)) }];
    case "invalid_union":
      return explainUnion(issue);
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "not_multiple_of":
      return [{ path, message: issue.message }];
  }
}

export function refuseValue({ issues }: z.core.$ZodError): AppError {
  return badInput(issues.flatMap(explainIssue).map(({ path, message }) => ({ path: formatPath(path), message })));
}

/** Formats a path such as "methods[0].clipping.low". */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

/** Explains the error of the union member that was probably meant: the member whose validation got furthest. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion): Problem[] {
  const within = issue.errors.find((branch) =>
    branch.some(({ path, code }) => path.length > 0 || code === "unrecognized_keys"),
  );
  const meant = within ?? issue.errors.find((branch) => branch.some(({ code }) => code === "invalid_value"));
  if (meant) {
    return meant
      .flatMap((inner) => explainIssue(inner))
      .map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
  }
  const [first] = issue.errors;
  if (first?.[0]) return explainIssue(first[0]).map(({ message }) => ({ path: issue.path, message }));
  return [{ path: issue.path, message: describeDiscriminator(issue) }];
}

function describeDiscriminator(issue: z.core.$ZodIssueInvalidUnion): string {
  const options = "options" in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
  const { input } = issue;
  const key = issue.discriminator;
  const given =
    typeof input === "object" && input !== null && key ? Object.entries(input).find(([k]) => k === key)?.[1] : input;
  if (given === undefined) return `is missing (one of ${options.join(", ")})`;
  return describeUnknown("value", bare(given), options);
}

function describeUnknown(noun: "key" | "value", given: string, known: readonly string[]): string {
  const close = closeMatches(given, known);
  if (close.length > 0) return `unknown ${noun} "${given}"; did you mean ${close.map((x) => `"${x}"`).join(" or ")}?`;
  return noun === "value" && known.length > 0
    ? `"${given}" is not one of ${known.join(", ")}`
    : `unknown ${noun} "${given}"`;
}

type LimitIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

function describeLimit(issue: LimitIssue, words: string, limit: number | bigint): string {
  if (issue.origin === "array" && Array.isArray(issue.input))
    return `has ${formatCount(issue.input.length, "entry", "entries")}, must have ${words} ${limit}`;
  if (issue.origin === "string") return `is ${quote(issue.input)}, must have ${words} ${limit} characters`;
  return `is ${quote(issue.input)}, must be ${words} ${limit}`;
}

function describeType(expected: string): string {
  if (expected === "int") return "an integer";
  if (expected === "record" || expected === "object") return "a mapping of keys to values";
  if (expected === "array") return "a list";
  return `a ${expected}`;
}

function bare(value: unknown): string {
  return typeof value === "string" ? value : quote(value);
}

function quote(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping of keys to values";
  return String(value);
}

export const planKeys = [
  "name",
  "description",
  "methods",
  "grid",
  "environments",
  "base",
  "axes",
  "seeds",
  "placement",
  "when",
  "exclude",
  "distributions",
  "sample",
  "search",
  "stopping",
  "rescue",
  "from",
];
let words: string[] | undefined;

function vocabulary(): readonly string[] {
  words ??= [...new Set([...planKeys, ...collectKeys(z.toJSONSchema(CellSpec, { io: "input" }))])];
  return words;
}

function collectKeys(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const direct =
    "properties" in schema && typeof schema.properties === "object" ? Object.keys(schema.properties ?? {}) : [];
  return [...direct, ...Object.values(schema).flatMap(collectKeys)];
}
