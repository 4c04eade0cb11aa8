import { runStatuses } from "../runStatus.ts";
import { oldStability, unitOf, type Field, type FieldType } from "./field.ts";
import type { FieldIndex } from "./findField.ts";
import { type FilterProblem, splitWords, unquote } from "./splitWords.ts";

/** Condition on a run. A run that lacks the field's value satisfies only negated conditions. */
export type Condition = { isNegated: boolean } & (
  | { kind: "text"; text: string }
  | { kind: "has"; field: Field }
  | { kind: "compare"; field: Field; operator: "=" | "<" | "<=" | ">" | ">="; number: number }
  | { kind: "between"; field: Field; low: number; high: number }
  /** Matches any of the texts, ignoring case. `isWhole`: the whole value must match, else a part suffices. */
  | { kind: "match"; field: Field; texts: string[]; isWhole: boolean }
);

export type ResolvedFilter = { conditions: Condition[]; problems: FilterProblem[] };

const stabilityWords = ["warmup", "healthy", "collapsed", "recovered", "dip", "ambiguous"];
export const flagWords: ReadonlyMap<string, { field: string; value: string }> = new Map([
  ...runStatuses.map((value) => [value, { field: "state", value }] as const),
  ...stabilityWords.map((value) => [value, { field: oldStability.key, value }] as const),
  ["warning", { field: "alarm", value: "warning" }],
  ["unstable", { field: "alarm", value: "unstable" }],
  ["unclear", { field: "hindsight", value: "unclear" }],
  ["archived", { field: "archived", value: "*" }],
  ["favourite", { field: "favourite", value: "*" }],
]);

/** Converts the text of a filter to conditions on fields, and problems. The function never throws. */
export function resolveFilter(filter: string, index: FieldIndex): ResolvedFilter {
  const { terms, problems } = parseFilter(filter);
  const conditions = terms.flatMap((term): Condition[] => {
    const resolved = resolveTerm(term, index);
    if (typeof resolved !== "string") return [resolved];
    problems.push({ start: term.start, end: term.end, message: resolved });
    return [];
  });
  return { conditions, problems: problems.sort((a, b) => a.start - b.start) };
}

/** Returns a condition, or the reason why the term is invalid. */
function resolveTerm(term: Term, index: FieldIndex): Condition | string {
  const { isNegated } = term;
  const find = (name: string) => (name.toLowerCase() === oldStability.key ? oldStability : index.find(name));
  if (term.kind === "bare") {
    const flag = term.isQuoted ? undefined : flagWords.get(term.text.toLowerCase());
    const field = flag && find(flag.field);
    if (!flag || !field) return { isNegated, kind: "text", text: term.text };
    if (flag.value === "*") return { isNegated, kind: "has", field };
    // A label may end with "judged by reward".
    return { isNegated, kind: "match", field, texts: [flag.value], isWhole: flag.field !== "hindsight" };
  }
  const field = find(term.name);
  if (!field) {
    const close = index.suggest(term.name);
    return `there is no field ${term.name}${close.length > 0 ? `; did you mean ${close.join(" or ")}?` : ""}`;
  }
  const operator = term.operator === "!=" ? "=" : term.operator;
  const isOpposite = isNegated !== (term.operator === "!=");
  if (term.value === "*" && !term.isQuoted) {
    if (operator === ":" || operator === "=") return { isNegated: isOpposite, kind: "has", field };
    return `${term.name}${operator}* compares nothing: write ${term.name}:* to find any value`;
  }
  const asked = { ...term, operator };
  return field.type === "text" || field.type === "list"
    ? resolveText(asked, field, isOpposite)
    : resolveNumber(asked, field, isOpposite);
}

type Asked = { name: string; operator: Exclude<Operator, "!=">; value: string; isQuoted: boolean };

function resolveText({ name, operator, value, isQuoted }: Asked, field: Field, isNegated: boolean): Condition | string {
  if (operator !== ":" && operator !== "=") {
    // A parameter of a received run is stored as a string, which may contain a number.
    const number = field.group === "Tracked parameter" ? readNumber(value, "number") : undefined;
    if (number !== undefined) return { isNegated, kind: "compare", field, operator, number };
    return `${name} is a text field: use : to find a part or = for the whole text; ${operator} compares numbers`;
  }
  const texts = isQuoted ? [value] : value.split(",").filter((text) => text !== "");
  if (texts.length === 0) return `${name}${operator}${value} has no value`;
  return { isNegated, kind: "match", field, texts, isWhole: operator === "=" || field.type === "list" };
}

function resolveNumber({ name, operator, value }: Asked, field: Field, isNegated: boolean): Condition | string {
  const refusal = (text: string) => `${name} is compared with ${describeNumber(field)}, not ${text}`;
  const texts = value.split("..");
  const isPercent = isRate(field) && texts.some((text) => Math.abs(Number(text)) > 1);
  const [low, high, ...more] = texts.map((text) =>
    readNumber(isPercent && !text.endsWith("%") ? `${text}%` : text, field.type),
  );
  if (value.includes("..")) {
    if (low === undefined || high === undefined || more.length > 0) return refusal(value);
    if (operator !== ":" && operator !== "=")
      return `${name}${operator}${value}: write a range with :, as in ${name}:1..5`;
    return { isNegated, kind: "between", field, low, high };
  }
  if (low === undefined) return refusal(value);
  // A date without a time matches the whole day.
  if (field.type === "date" && (operator === ":" || operator === "=") && value.length === 10) {
    return { isNegated, kind: "between", field, low, high: low + 86_399_999 };
  }
  return { isNegated, kind: "compare", field, operator: operator === ":" ? "=" : operator, number: low };
}

/** True for fields whose column shows per cent. Numbers up to 1 stay fractions, as in addresses saved before. */
function isRate({ key }: Field): boolean {
  return unitOf(key).unit === "fraction";
}

const operators = ["<=", ">=", "!=", ":", "=", "<", ">"] as const;
type Operator = (typeof operators)[number];

/** A parsed term of a filter, whose field name is not yet resolved. */
type Term = { start: number; end: number; isNegated: boolean } & (
  | { kind: "bare"; text: string; isQuoted: boolean }
  | { kind: "field"; name: string; operator: Operator; value: string; isQuoted: boolean }
);

type ParsedFilter = { terms: Term[]; problems: FilterProblem[] };

/** Parses `method:gspo lr<1e-3 collapsed -tag:paper "free text"`; a run must match all terms. Never throws. */
export function parseFilter(filter: string): ParsedFilter {
  const { words, problems } = splitWords(filter);
  const terms = words.flatMap(({ text, start, end }): Term[] => {
    const isNegated = text.startsWith("-");
    const word = isNegated ? text.slice(1) : text;
    if (word === "") {
      problems.push({ start, end, message: "- excludes the word after it, but none follows" });
      return [];
    }
    const where = { start, end, isNegated };
    const [, name, operator, value = ""] = /^([^"\s:=<>!]+)(<=|>=|!=|[:=<>])(.*)$/s.exec(word) ?? [];
    const known = operators.find((one) => one === operator);
    if (name === undefined || known === undefined) {
      return [{ ...where, kind: "bare", text: unquote(word), isQuoted: word.includes('"') }];
    }
    if (value === "") {
      problems.push({ start, end, message: `${word} has no value: ${name}:* finds runs with any value` });
      return [];
    }
    return [{ ...where, kind: "field", name, operator: known, value: unquote(value), isQuoted: value.includes('"') }];
  });
  return { terms, problems };
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, min: 60, m: 60, h: 3600, d: 86_400 };

/** Parses a filter value as a number (dates: Unix milliseconds); undefined if it is none. */
function readNumber(text: string, type: FieldType): number | undefined {
  if (type === "date") return readDate(text);
  const [, digits = "", unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|s|min|m|h|d)?$/i.exec(text) ?? [];
  if (digits === "") return undefined;
  const number = Number(digits);
  if (!Number.isFinite(number)) return undefined;
  if (unit === "") return number;
  if (unit === "%") return type === "number" ? number / 100 : undefined;
  return type === "duration" ? number * (secondsOf[unit.toLowerCase()] ?? NaN) : undefined;
}

function readDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?$/.test(text)) return undefined;
  const ms = Date.parse(text.length === 10 || text.endsWith("Z") ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function describeNumber(field: Field): string {
  if (field.type === "date") return "a date such as 2026-11-22 or 2026-11-22T14:30";
  if (isRate(field)) return "per cent such as 40 or 40%, or a fraction such as 0.4";
  return field.type === "duration" ? "a duration such as 90s, 5min or 2h" : "a number such as 3, 1e-3 or 40%";
}
