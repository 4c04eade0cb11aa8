import { groupBy } from "#packages/base";
import type { Severity } from "#packages/detector";
import { type State, states } from "../_ui/states.ts";
import type { NonFiniteMark } from "#packages/statistics";
import type { RunMark } from "#server/domain/runs/series/chartData.ts";
import { formatCount } from "./format.ts";
import type { LegendEntry, RunName, XAxisName } from "./names.ts";

/** An event marked on a chart: an alarm, the collapse labelled in hindsight, or a data change such as a new phase. */
export type ChartEvent = {
  runId: string;
  iteration: number;
  severity: Severity | "hindsight" | "change";
  message: string;
  /** Position of the event on an x-axis other than iterations. */
  x?: number;
};

/** A mark of an event on the x-axis; the cursor announces its label together with the values at this x. */
export type AxisMark = {
  x: number;
  color: string;
  label: string;
  kind: StateMark | "restart" | "checkpoint" | "change";
};
/** Marks with a state's sign: the detector's alarms, and the collapse in hindsight, whose sign is bold. */
type StateMark = Exclude<Severity, "info"> | "hindsight";

/** Maximum number of runs in a chart that marks every alarm; charts of more runs mark collapses and data changes. */
const maxRunsWithWarnings = 1;

export function stateAt(kind: StateMark): State {
  return states[kind === "hindsight" ? "collapsed" : kind];
}

export function prepareFlags(
  events: readonly ChartEvent[],
  runs: ReadonlyMap<string, RunName>,
  entryOf: ReadonlyMap<number, LegendEntry>,
): AxisMark[] {
  const isOne = runs.size <= maxRunsWithWarnings;
  const flags = events.flatMap(({ runId, iteration, severity, message, x = iteration }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    if (!entry || severity === "info") return [];
    if (!isOne && severity !== "hindsight") return [];
    const who = isOne ? "" : `${entry.label}, seed ${run.seed}: `;
    const label = `${who}${message} (${iteration})`;
    const color = severity === "change" ? "var(--muted)" : stateAt(severity).color;
    return [{ x, color: isOne ? color : entry.color, label, kind: severity }];
  });
  return isOne ? flags : [...prepareChanges(events, runs, entryOf), ...flags];
}

/** Returns one mark per data change: seeds of a configuration with the same change at the same x share a mark. */
function prepareChanges(...[events, runs, entryOf]: Parameters<typeof prepareFlags>): AxisMark[] {
  const changes = events.flatMap(({ runId, iteration, severity, message, x = iteration }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    return entry && severity === "change" ? [{ run, entry, message, iteration, x }] : [];
  });
  const alike = groupBy(changes, ({ entry, message, x }) => JSON.stringify([entry.id, message, x]));
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map(({ run, entry, message, iteration, x }) => {
      const who = same.length === 1 ? `seed ${run.seed}` : `${same.length} seeds`;
      return { x, color: entry.color, label: `${entry.label}, ${who}: ${message} (${iteration})`, kind: "change" };
    }),
  );
}

const maxNamedChanges = 3;

/** Returns the parts of a chart's caption that explain its event marks. */
export function formatFlags(flags: readonly AxisMark[], isOne: boolean): string[] {
  const collapses = flags.filter(({ kind }) => kind === "hindsight").length;
  const changes = flags.filter(({ kind }) => kind === "change");
  const others = flags.length - collapses - changes.length;
  return [
    ...(changes.length > maxNamedChanges
      ? [`${formatCount(changes.length, "change")} of the data or task: dotted lines in the run's colour`]
      : changes.map(({ label }) => `dotted line: ${label}`)),
    ...(others > 0 ? [`${formatCount(others, "alarm")} of the detector: marks on the axis`] : []),
    ...(collapses > 0
      ? [
          `${isOne ? "bold ×" : `${formatCount(collapses, "collapse")}: × in the run's colour`} where half of the best success was lost, in hindsight`,
        ]
      : []),
  ];
}

/** A word at the top or bottom edge of the plot that stands for a NaN or infinite value. */
export type Mark = { x: number; kind: NonFiniteMark["kind"]; color: string; label: string };

/** Words, because a triangle or a cross would be read as an alarm or a collapse. */
export const glyphs: Record<NonFiniteMark["kind"], { name: string; edge: "top" | "bottom" }> = {
  NaN: { name: "NaN", edge: "bottom" },
  Infinity: { name: "+∞", edge: "top" },
  "-Infinity": { name: "−∞", edge: "bottom" },
};

export function prepareMarks(
  values: readonly RunMark[],
  { runs, axis }: { runs: ReadonlyMap<string, RunName>; axis: XAxisName },
  entryOf: ReadonlyMap<number, LegendEntry>,
): Mark[] {
  return values.flatMap(({ runId, iteration, kind }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    if (!entry) return [];
    const label = `${glyphs[kind].name} at ${axis.toLowerCase()} ${iteration}: ${entry.label}, seed ${run.seed}`;
    return [{ x: iteration, kind, color: entry.color, label }];
  });
}

/** Formats the caption's remark on non-finite values, for example "7 values not finite (5 NaN, 2 +∞)". */
export function formatMarks(marks: readonly Mark[], numUnlisted: number): string[] {
  if (marks.length === 0) return [];
  const kinds = (["NaN", "Infinity", "-Infinity"] as const).flatMap((kind) => {
    const count = marks.filter((mark) => mark.kind === kind).length;
    return count > 0 ? [`${count} ${glyphs[kind].name}`] : [];
  });
  const sentence = `${formatCount(marks.length, "value")} not finite (${kinds.join(", ")}): marked at their step, left out of means`;
  return numUnlisted === 0
    ? [sentence]
    : [sentence, `${formatCount(numUnlisted, "more value")} not finite, not marked`];
}
