import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { type Aggregate, aggregates, xAxes, type XAxis } from "#server/domain/runs/series/chartData.ts";
import type { Over } from "#server/domain/runs/series/seedSummary.ts";
import { joinList, splitList } from "../_ui/address.ts";
import { type Limits, parseLimits, writeLimits } from "./limits.ts";

/** Summaries over seeds; "mean" is drawn without a band. */
export const overs = [...aggregates, "mean"] as const;

export const chartSizes = ["small", "usual", "large"] as const;
export type ChartSize = (typeof chartSizes)[number];

/** Chart settings of the reader. All settings are in the URL, so that a link shows the same charts. */
export type ChartSettings = {
  /** Charts whose y-axis scale is not the default one: linear, except for ratios over many orders of magnitude. */
  log: ReadonlySet<string>;
  /** Weight of past values in the debiased moving average; 0 disables smoothing. */
  smoothing: number;
  /** True to draw every seed as a thin line. */
  seeds: boolean;
  /** Summary over seeds and its band; null: chosen automatically by the number of lines. */
  over: (typeof overs)[number] | null;
  /** True to draw the values of replaced attempts as dotted lines. */
  ghosts: boolean;
  /** True to draw the final value of the pinned baseline as a level across the plot. */
  baseline: boolean;
  /** Ids of the lines that the reader hid in the legend. */
  hidden: ReadonlySet<string>;
  x: XAxis;
  /** Fields encoded by lightness, dashes and small multiples. "none": no field; null: the automatic choice. */
  shade: string | null;
  dash: string | null;
  facet: string | null;
  size: ChartSize;
  /** Limits of y-axes, by metric. */
  limits: ReadonlyMap<string, Limits>;
  /** Visible range of the x-axis, both ends included; null: the whole axis. */
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

/** Parses settings from a URL. Invalid parts get their defaults, so that an old link never breaks a page. */
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

/** Writes settings into a URL. Defaults are removed, and parameters that are not settings stay unchanged. */
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

/** Removes the items from the set; if all of them are missing, adds them. */
export function toggled(items: ReadonlySet<string>, ...some: readonly string[]): ReadonlySet<string> {
  const next = new Set(items);
  const isIn = some.every((item) => items.has(item));
  for (const item of some)
    if (isIn) next.delete(item);
    else next.add(item);
  return next;
}

/** Hides all items except some; if only these are visible already, shows all items again. */
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

/** Metrics with values far below and far above 1; on a linear axis, values below 1 would all look like 0. */
const logarithmicAtFirst: ReadonlySet<string> = new Set(["mismatchRatios", "mismatchParts"]);

export function isLogarithmic({ log }: Pick<ChartSettings, "log">, key: string): boolean {
  return log.has(key) !== logarithmicAtFirst.has(key);
}

export const looks = ["shade", "dash", "facet"] as const;
type Looks = Record<(typeof looks)[number], CellField | undefined>;

/**
 * Assigns fields to visual channels. By default, environments become small multiples, the first setting that varies is
 * encoded by lightness, and the next by dashes.
 */
export function chooseLooks(
  fields: readonly CellField[],
  settings: Pick<ChartSettings, "shade" | "dash" | "facet">,
): Looks {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const chosen = (look: keyof Looks) => byKey.get(settings[look] ?? "");
  const taken = new Set(looks.map((look) => settings[look]));
  const free = fields.filter(({ key }) => key !== "environment" && key !== "sweep" && !taken.has(key));
  const shade = settings.shade === null ? free.shift() : chosen("shade");
  const dash = settings.dash === null ? free.shift() : chosen("dash");
  const environment = taken.has("environment") ? undefined : byKey.get("environment");
  return { shade, dash, facet: settings.facet === null ? environment : chosen("facet") };
}

/** Minimum number of lines at which names are written at the lines' ends and points have no dots. */
export const minCrowded = 4;

/** The chosen summary over seeds; by default the mean with its 95 % interval. */
export function overOf({ over }: Pick<ChartSettings, "over">): Over {
  return over ?? "interval";
}

type Asked = { aggregate: Aggregate; range: ChartSettings["range"] };

/** Settings that are sent to the server. A range on an axis other than iterations is cut in the browser instead. */
export function askedOf(settings: Pick<ChartSettings, "over" | "range" | "x">): Asked {
  const over = overOf(settings);
  return { aggregate: over === "mean" ? "interval" : over, range: settings.x === "iteration" ? settings.range : null };
}
