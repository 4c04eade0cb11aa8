import { xAxes, type XAxis } from "#server/domain/series/xAxis.ts";
import { joinList, splitList } from "../_ui/address.ts";
import { parseLimits, writeLimits, type Limits } from "./limits.ts";
import { aggregates } from "#server/domain/series/aggregate.ts";

/** "mean": without a band. */
export const overs = [...aggregates, "mean"] as const;

export const chartSizes = ["small", "usual", "large"] as const;
export type ChartSize = (typeof chartSizes)[number];

/** What a viewer can choose about charts. All of it lives in the address, so that a link shows what its sender saw. */
export type ChartSettings = {
  /** Charts whose y-axis is not the one that they begin with: linear, but for ratios over many orders of magnitude. */
  log: ReadonlySet<string>;
  /** Weight of the past in the debiased moving average: 0 is off. */
  smoothing: number;
  /** Every seed as a thin line of its own. */
  seeds: boolean;
  /** What stands for the seeds, and which band; null leaves it to the number of lines. */
  over: (typeof overs)[number] | null;
  /** What earlier attempts logged beyond where a later one went on, as dotted lines. */
  ghosts: boolean;
  /** What the pinned baseline came to, as a level across the plot. */
  baseline: boolean;
  /** Lines switched off in the legend, by id. */
  hidden: ReadonlySet<string>;
  /** What charts stand over. */
  x: XAxis;
  /** Fields that lightness, dashes and small multiples stand for: "none", or null, which leaves it to what varies. */
  shade: string | null;
  dash: string | null;
  facet: string | null;
  /** How large charts are. */
  size: ChartSize;
  /** Ends of y-axes, by metric. */
  limits: ReadonlyMap<string, Limits>;
  /** The part of the x-axis shown, both ends included; null is all. */
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

/** Reads an address. What cannot be read is left at its default: an old link never breaks a page. */
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

/** The address with these settings in it; defaults and other parameters stay as they were. */
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

/** The set with the item in it, or out of it if it was in. */
/** Takes items out, or puts them in where all of them are missing. */
export function toggled(items: ReadonlySet<string>, ...some: readonly string[]): ReadonlySet<string> {
  const next = new Set(items);
  const isIn = some.every((item) => items.has(item));
  for (const item of some)
    if (isIn) next.delete(item);
    else next.add(item);
  return next;
}

/** Hides all but some; when they are alone already, shows all again. */
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

/** What lies on both sides of 1 by orders of magnitude is a flat line on a linear axis. */
const logarithmicAtFirst: ReadonlySet<string> = new Set(["mismatchRatios", "mismatchParts"]);

export function isLogarithmic({ log }: Pick<ChartSettings, "log">, key: string): boolean {
  return log.has(key) !== logarithmicAtFirst.has(key);
}
