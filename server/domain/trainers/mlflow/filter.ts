import { AppError } from "#packages/base";
import { cutFilter, readField, type FilterToken } from "./filterTokens.ts";

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

const spellings: Readonly<Record<Entity, readonly string[]>> = {
  attribute: ["attribute", "attributes", "attr", "run"],
  tag: ["tag", "tags"],
  parameter: ["parameter", "parameters", "param", "params"],
  metric: ["metric", "metrics"],
  dataset: ["dataset", "datasets"],
};

/**
 * Parses MLflow's filter language: comparisons joined by AND. Numbers support =, !=, <, <=, > and >=. Strings support
 * =, !=, LIKE and ILIKE; attributes and datasets also IN and NOT IN. Tags and parameters support IS NULL and IS NOT
 * NULL. Throws `bad_input` for anything else.
 */
export function parseFilter(filter: string, vocabulary: Vocabulary): Clause[] {
  return readField("filter", () => {
    const tokens = cutFilter(filter);
    const clauses: Clause[] = [];
    while (tokens.length > 0) {
      const and = clauses.length > 0 ? tokens.shift() : undefined;
      if (clauses.length > 0 && wordOf(and) !== "AND") throw refuse(`expected AND, found ${describe(and)}`);
      clauses.push(takeClause(tokens, vocabulary));
    }
    return clauses;
  });
}

/** Returns true if a run or experiment satisfies all comparisons. For a missing value only IS NULL is true. */
export function matches(clauses: readonly Clause[], facts: Facts): boolean {
  return clauses.every(({ entity, key, sign, wanted }) => {
    if (entity === "dataset") return facts.dataset.some((one) => compare(one[key], sign, wanted));
    return compare(valueOf(facts, { entity, key }), sign, wanted);
  });
}

export function valueOf(facts: Facts, { entity, key }: { entity: Exclude<Entity, "dataset">; key: string }) {
  return entity === "attribute" ? facts.attribute[key] : facts[entity].get(key);
}

/** Finds the entity and key that a name in a filter refers to. Throws `bad_input` for an unknown name. */
export function subjectOf(parts: readonly string[], { entities, attributes, aliases }: Vocabulary): Subject {
  const [first = "", second] = parts;
  const entity = second === undefined ? "attribute" : entities.find((one) => spellings[one].includes(first));
  if (entity === undefined) throw refuse(`"${first}" cannot be searched; use ${entities.join(", ")}`);
  const given = second ?? first;
  const key = entity === "attribute" && Object.hasOwn(aliases, given) ? (aliases[given] ?? given) : given;
  const known = entity === "attribute" ? Object.keys(attributes) : entity === "dataset" ? datasetKeys : undefined;
  if (known && !known.includes(key)) throw refuse(`there is no ${entity} "${key}" (known: ${known.join(", ")})`);
  return { entity, key };
}

const datasetKeys = ["name", "digest", "context"];

/** Removes the tokens of the first comparison and returns the comparison. */
function takeClause(tokens: FilterToken[], vocabulary: Vocabulary): Clause {
  const name = tokens.shift();
  if (name?.kind !== "name") throw refuse(`expected a field name such as metrics.reward, found ${describe(name)}`);
  const subject = subjectOf(name.parts, vocabulary);
  const sign = takeSign(tokens);
  const isNumber =
    subject.entity === "metric" || (subject.entity === "attribute" && vocabulary.attributes[subject.key] === "number");
  const allowed = isNumber ? numberSigns : textSigns[subject.entity];
  if (!allowed.includes(sign)) throw refuse(`${name.text} is compared by ${allowed.join(", ")}, not by ${sign}`);
  if (sign.startsWith("IS ")) return { ...subject, sign, wanted: undefined };
  if (sign.endsWith("IN")) return { ...subject, sign, wanted: takeList(tokens) };
  return { ...subject, sign, wanted: readValue(tokens.shift(), { isNumber, name: name.text }) };
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

function takeSign(tokens: FilterToken[]): string {
  const [token] = tokens;
  const isNamed = (sign: string) => sign.split(" ").every((word, i) => wordOf(tokens[i]) === word);
  const named = ["IS NOT NULL", "IS NULL", "NOT IN", "IN", "LIKE", "ILIKE"].find(isNamed);
  const sign = token?.kind === "sign" ? token.text : named;
  if (sign === undefined) {
    throw refuse(`expected a comparison operator (=, !=, <, LIKE, IN, …), found ${describe(token)}`);
  }
  tokens.splice(0, sign.split(" ").length);
  return sign === "<>" ? "!=" : sign;
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

function takeList(tokens: FilterToken[]): string[] {
  const isSign = (token: FilterToken | undefined, sign: string) => token?.kind === "sign" && token.text === sign;
  const texts: string[] = [];
  let next = tokens.shift();
  if (!isSign(next, "(")) throw refuse(`expected a list in parentheses, found ${describe(next)}`);
  do {
    const token = tokens.shift();
    if (token?.kind !== "text") throw refuse(`expected a quoted string, found ${describe(token)}`);
    texts.push(token.text);
    next = tokens.shift();
  } while (isSign(next, ","));
  if (!isSign(next, ")")) throw refuse(`expected ")", found ${describe(next)}`);
  return texts;
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

function wordOf(token: FilterToken | undefined): string | undefined {
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
