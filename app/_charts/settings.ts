import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { type Aggregate, aggregates, xAxes, type XAxis } from "#server/domain/runs/series/chartData.ts";
import type { Over } from "#server/domain/runs/series/seedSummary.ts";
import { joinList, splitList } from "../_ui/address.ts";
import { type Limits, parseLimits, writeLimits } from "./limits.ts";

/** Choices for the summary over seeds; "mean" is drawn without a band. */
export const overs = [...aggregates, "mean"] as const;

export const chartSizes = ["small", "usual", "large"] as const;
export type ChartSize = (typeof chartSizes)[number];

/** Settings with which the reader changes the charts of a page; all are in the URL, so links show the same charts. */
export type ChartSettings = {
  /** Metric keys for which the reader switched the y-axis to the other scale (linear to log, or log to linear). */
  log: ReadonlySet<string>;
  /** Weight of past values in the bias-corrected moving average that smooths lines; 0 disables smoothing. */
  smoothing: number;
  seeds: boolean;
  /** Summary over seeds with its band; null: the default, the mean with its 95 % interval. */
  over: (typeof overs)[number] | null;
  /** True to draw the values of replaced attempts (superseded by a restart) as dotted lines. */
  ghosts: boolean;
  baseline: boolean;
  hidden: ReadonlySet<string>;
  x: XAxis;
  /** Keys of the fields encoded by lightness, dashes and small multiples. "none": no field; null: automatic. */
  shade: string | null;
  dash: string | null;
  facet: string | null;
  size: ChartSize;
  /** Limits of the y-axis that the reader set, by metric key. */
  limits: ReadonlyMap<string, Limits>;
  /** Range of x values that is visible, both ends included; null: the whole axis. */
  range: readonly [number, number] | null;
};

/** @testing */
export const defaultSettings: ChartSettings = {
  log: new Set(),
  smoothing: 0,
  seeds: false,
  over: null,
  ghosts: false,
  baseline: true,
  hidden: new Set(),
  x: "iteration",
  shade: null,
  dash: null,
  facet: null,
  size: "usual",
  limits: new Map(),
  range: null,
};

/** Parses chart settings from a URL. Invalid values get their defaults, so that an old link never breaks a page. */
export function parseSettings(query: Pick<URLSearchParams, "get">): ChartSettings {
  const smoothing = Number(query.get("smooth") ?? 0);
  const [from, to] = (query.get("range") ?? "").split("-").map(Number);
  const isRange = from !== undefined && to !== undefined && Number.isFinite(from) && from < to && to < 1e15;
  return {
    log: parseList(query.get("log")),
    smoothing: smoothing >= 0 && smoothing < 1 ? smoothing : 0,
    seeds: query.get("seeds") === "1",
    over: overs.find((over) => over === query.get("over")) ?? null,
    ghosts: query.get("ghosts") === "1",
    baseline: query.get("baseline") !== "0",
    hidden: parseList(query.get("hide")),
    x: xAxes.find((axis) => axis === query.get("x")) ?? "iteration",
    shade: query.get("shade"),
    dash: query.get("dash"),
    facet: query.get("facet"),
    size: chartSizes.find((size) => size === query.get("size")) ?? "usual",
    limits: parseLimits(query.get("ylim") ?? ""),
    range: isRange ? [from, to] : null,
  };
}

/** Returns the URL parameters with these settings, except defaults; other parameters stay unchanged. */
export function writeSettings(query: URLSearchParams, settings: ChartSettings): URLSearchParams {
  const written = new URLSearchParams(query);
  const set = (name: string, value: string) => (value === "" ? written.delete(name) : written.set(name, value));
  set("log", joinList(settings.log));
  set("smooth", settings.smoothing === 0 ? "" : String(settings.smoothing));
  set("seeds", settings.seeds ? "1" : "");
  set("over", settings.over ?? "");
  set("ghosts", settings.ghosts ? "1" : "");
  set("baseline", settings.baseline ? "" : "0");
  set("hide", joinList(settings.hidden));
  set("x", settings.x === "iteration" ? "" : settings.x);
  set("shade", settings.shade ?? "");
  set("dash", settings.dash ?? "");
  set("facet", settings.facet ?? "");
  set("size", settings.size === "usual" ? "" : settings.size);
  set("ylim", writeLimits(settings.limits));
  set("range", settings.range ? settings.range.join("-") : "");
  return written;
}

/** Returns the set without the items `some` if it contains all of them, else with all of them. */
export function toggled(items: ReadonlySet<string>, ...some: readonly string[]): ReadonlySet<string> {
  const next = new Set(items);
  const isIn = some.every((item) => items.has(item));
  for (const item of some)
    if (isIn) next.delete(item);
    else next.add(item);
  return next;
}

/** Returns the items to hide so that only `some` are shown; none if only these are shown already. */
export function soloed(
  hidden: ReadonlySet<string>,
  all: readonly string[],
  some: readonly string[],
): ReadonlySet<string> {
  const others = all.filter((id) => !some.includes(id));
  const isAlone = !some.some((item) => hidden.has(item)) && others.every((id) => hidden.has(id));
  return new Set(isAlone ? [] : others);
}

function parseList(text: string | null): ReadonlySet<string> {
  return new Set(splitList(text ?? ""));
}

/** Metrics that have a logarithmic y-axis by default: on a linear axis, their values below 1 would all look like 0. */
const logarithmicAtFirst: ReadonlySet<string> = new Set(["mismatchRatios", "mismatchParts"]);

export function isLogarithmic({ log }: Pick<ChartSettings, "log">, key: string): boolean {
  return log.has(key) !== logarithmicAtFirst.has(key);
}

export const looks = ["shade", "dash", "facet"] as const;
type Looks = Record<(typeof looks)[number], CellField | undefined>;

/** Returns the encoded fields. By default, environments are small multiples, and lines have their configuration's look. */
export function chooseLooks(
  fields: readonly CellField[],
  settings: Pick<ChartSettings, "shade" | "dash" | "facet">,
): Looks {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const chosen = (look: keyof Looks) => byKey.get(settings[look] ?? "");
  const isTaken = looks.some((look) => settings[look] === "environment");
  const environment = isTaken ? undefined : byKey.get("environment");
  return {
    shade: chosen("shade"),
    dash: chosen("dash"),
    facet: settings.facet === null ? environment : chosen("facet"),
  };
}

/** Minimum number of lines in a chart at which lines are named at their ends and points have no dots. */
export const minCrowded = 4;

export function overOf({ over }: Pick<ChartSettings, "over">): Over {
  return over ?? "interval";
}

type Asked = { aggregate: Aggregate; range: ChartSettings["range"] };

/** Returns the settings that a query needs. The server cuts a range on the iteration axis, the browser on others. */
export function askedOf(settings: Pick<ChartSettings, "over" | "range" | "x">): Asked {
  const over = overOf(settings);
  return { aggregate: over === "mean" ? "interval" : over, range: settings.x === "iteration" ? settings.range : null };
}
