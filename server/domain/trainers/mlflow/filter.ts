import { AppError } from "#packages/base";
import { cutFilter, readField, type FilterToken } from "./filterTokens.ts";

/** Facts about a run or experiment that can be used to filter and order searches. */
export type Facts = {
  attribute: Readonly<Record<string, string | number | undefined>>;
  tag: ReadonlyMap<string, string>;
  parameter: ReadonlyMap<string, string>;
  metric: ReadonlyMap<string, number>;
  dataset: readonly Readonly<Record<string, string | undefined>>[];
};
export type Entity = keyof Facts;

/** Names that filters and orders of a search may contain: entities, and attributes with their types and aliases. */
export type Vocabulary = {
  entities: readonly Entity[];
  attributes: Readonly<Record<string, "text" | "number">>;
  aliases: Readonly<Record<string, string>>;
};

type Subject = { entity: Entity; key: string };
type Wanted = string | number | readonly string[] | undefined;
export type Clause = Subject & { sign: string; wanted: Wanted };

const spellings: Readonly<Record<string, Entity>> = {
  attribute: "attribute",
  attributes: "attribute",
  attr: "attribute",
  run: "attribute",
  tag: "tag",
  tags: "tag",
  parameter: "parameter",
  parameters: "parameter",
  param: "parameter",
  params: "parameter",
  metric: "metric",
  metrics: "metric",
  dataset: "dataset",
  datasets: "dataset",
};

/**
 * Parses MLflow's filter language: comparisons joined by AND. Numbers support =, !=, <, <=, > and >=. Strings support
 * =, !=, LIKE and ILIKE; attributes and datasets also IN and NOT IN. Tags and parameters support IS NULL and IS NOT
 * NULL. Throws `bad_input` for anything else.
 */
export function parseFilter(filter: string, vocabulary: Vocabulary): Clause[] {
  return readField("filter", () => readClauses(filter, vocabulary));
}

function readClauses(filter: string, vocabulary: Vocabulary): Clause[] {
  const tokens = cutFilter(filter);
  const clauses: Clause[] = [];
  let at = 0;
  while (at < tokens.length) {
    if (clauses.length > 0) {
      if (wordAt(tokens, at) !== "AND") throw refuse(`expected AND, found ${describe(tokens[at])}`);
      at += 1;
    }
    const { clause, next } = parseClause(tokens, at, vocabulary);
    clauses.push(clause);
    at = next;
  }
  return clauses;
}

/** Returns true if a run or experiment satisfies all comparisons. For a missing value only IS NULL is true. */
export function matches(clauses: readonly Clause[], facts: Facts): boolean {
  return clauses.every(({ entity, key, sign, wanted }) => {
    if (entity === "dataset") return facts.dataset.some((one) => compare(one[key], sign, wanted));
    return compare(entity === "attribute" ? facts.attribute[key] : facts[entity].get(key), sign, wanted);
  });
}

/** Finds the entity and key that a name in a filter refers to. Throws `bad_input` for an unknown name. */
export function subjectOf(parts: readonly string[], { entities, attributes, aliases }: Vocabulary): Subject {
  const [first = "", second] = parts;
  const entity = second === undefined ? "attribute" : spellings[first];
  if (entity === undefined || !entities.includes(entity)) {
    throw refuse(`"${first}" cannot be searched; use ${entities.join(", ")}`);
  }
  const given = second ?? first;
  const key = entity === "attribute" && Object.hasOwn(aliases, given) ? (aliases[given] ?? given) : given;
  const known = entity === "attribute" ? Object.keys(attributes) : entity === "dataset" ? datasetKeys : undefined;
  if (known && !known.includes(key)) throw refuse(`there is no ${entity} "${key}" (known: ${known.join(", ")})`);
  return { entity, key };
}

const datasetKeys = ["name", "digest", "context"];

function parseClause(tokens: readonly FilterToken[], start: number, vocabulary: Vocabulary) {
  const name = tokens[start];
  if (name?.kind !== "name") throw refuse(`expected a field name such as metrics.reward, found ${describe(name)}`);
  const subject = subjectOf(name.parts, vocabulary);
  const { sign, next } = readSign(tokens, start + 1);
  const isNumber =
    subject.entity === "metric" || (subject.entity === "attribute" && vocabulary.attributes[subject.key] === "number");
  const allowed = isNumber ? numberSigns : textSigns[subject.entity];
  if (!allowed.includes(sign)) throw refuse(`${name.text} is compared by ${allowed.join(", ")}, not by ${sign}`);
  if (sign.startsWith("IS ")) return { clause: { ...subject, sign, wanted: undefined }, next };
  if (sign.endsWith("IN")) {
    const list = readList(tokens, next);
    return { clause: { ...subject, sign, wanted: list.texts }, next: list.next };
  }
  return {
    clause: { ...subject, sign, wanted: readValue(tokens[next], { isNumber, name: name.text }) },
    next: next + 1,
  };
}

const numberSigns = ["=", "!=", "<", "<=", ">", ">="];
const equalities = ["=", "!=", "LIKE", "ILIKE"];
const textSigns: Readonly<Record<Entity, readonly string[]>> = {
  attribute: [...equalities, "IN", "NOT IN"],
  dataset: [...equalities, "IN", "NOT IN"],
  tag: [...equalities, "IS NULL", "IS NOT NULL"],
  parameter: [...equalities, "IS NULL", "IS NOT NULL"],
  metric: numberSigns,
};

function readSign(tokens: readonly FilterToken[], at: number): { sign: string; next: number } {
  const token = tokens[at];
  if (token?.kind === "sign") return { sign: token.text === "<>" ? "!=" : token.text, next: at + 1 };
  const words = [0, 1, 2].map((i) => wordAt(tokens, at + i) ?? "");
  for (const sign of ["IS NOT NULL", "IS NULL", "NOT IN", "IN", "LIKE", "ILIKE"]) {
    const wanted = sign.split(" ");
    if (wanted.every((word, i) => words[i] === word)) return { sign, next: at + wanted.length };
  }
  throw refuse(`expected a comparison operator (=, !=, <, LIKE, IN, …), found ${describe(token)}`);
}

function readValue(token: FilterToken | undefined, { isNumber, name }: { isNumber: boolean; name: string }) {
  if (!isNumber) {
    if (token?.kind === "text") return token.text;
    throw refuse(`${name} is compared with a quoted string, not with ${describe(token)}`);
  }
  const value = token?.kind === "name" && /^[+-]?(\d|\.\d)/.test(token.text) ? Number(token.text) : NaN;
  if (Number.isNaN(value)) throw refuse(`${name} is compared with a number, not with ${describe(token)}`);
  return value;
}

function readList(tokens: readonly FilterToken[], start: number): { texts: string[]; next: number } {
  const texts: string[] = [];
  let at = start;
  const expect = (sign: string) => tokens[at]?.kind === "sign" && tokens[at]?.text === sign;
  if (!expect("(")) throw refuse(`expected a list in parentheses, found ${describe(tokens[at])}`);
  do {
    at += 1;
    const token = tokens[at];
    if (token?.kind !== "text") throw refuse(`expected a quoted string, found ${describe(token)}`);
    texts.push(token.text);
    at += 1;
  } while (expect(","));
  if (!expect(")")) throw refuse(`expected ")", found ${describe(tokens[at])}`);
  return { texts, next: at + 1 };
}

function compare(value: string | number | undefined, sign: string, wanted: Wanted): boolean {
  if (sign === "IS NULL") return value === undefined;
  if (value === undefined) return false;
  switch (sign) {
    case "IS NOT NULL":
      return true;
    case "=":
      return value === wanted;
    case "!=":
      return value !== wanted;
    case "LIKE":
      return isLike(String(value), String(wanted));
    case "ILIKE":
      return isLike(String(value).toLowerCase(), String(wanted).toLowerCase());
    case "IN":
      return Array.isArray(wanted) && wanted.includes(value);
    case "NOT IN":
      return Array.isArray(wanted) && !wanted.includes(value);
  }
  if (typeof value !== "number" || typeof wanted !== "number") return false;
  if (sign === "<") return value < wanted;
  if (sign === "<=") return value <= wanted;
  return sign === ">" ? value > wanted : value >= wanted;
}

function wordAt(tokens: readonly FilterToken[], at: number): string | undefined {
  const token = tokens[at];
  return token?.kind === "name" ? token.text.toUpperCase() : undefined;
}

function describe(token: FilterToken | undefined): string {
  return token ? `"${token.text.slice(0, 100)}"` : "the end of the filter";
}

function refuse(problem: string): AppError {
  return new AppError("bad_input", problem);
}

/**
 * Matches SQL's LIKE, where % is any characters and _ exactly one. The match takes at most text × pattern steps,
 * because only the last % is retried; an equivalent regular expression could backtrack exponentially.
 */
export function isLike(text: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let lastPercent = -1;
  let taken = 0;
  while (at < text.length) {
    const wanted = pattern.charAt(inPattern);
    if (wanted === "%") {
      lastPercent = inPattern++;
      taken = at;
    } else if (inPattern < pattern.length && (wanted === "_" || wanted === text.charAt(at))) {
      at += 1;
      inPattern += 1;
    } else if (lastPercent >= 0) {
      inPattern = lastPercent + 1;
      at = ++taken;
    } else return false;
  }
  while (pattern.charAt(inPattern) === "%") inPattern += 1;
  return inPattern === pattern.length;
}
