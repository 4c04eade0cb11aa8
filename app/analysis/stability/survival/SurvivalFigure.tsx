"use client";

import { groupBy } from "#packages/base";
import type { SurvivalPoint } from "#packages/statistics";
import type { SurvivalReport } from "#server/domain/analysis/stability/survival.ts";
import type { survival } from "#server/domain/analysis/stability/survivalAnswer.ts";
import { classes } from "#app/_ui/classes.ts";
import { colourIndex, methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import { isBehind, LiftedLineProvider, useLiftedLine } from "#app/_charts/liftedLine.tsx";
import { formatPercent } from "#app/_charts/format.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { iterationTicks } from "#server/domain/runs/series/ticks.ts";

/** Maximum number of groups for which confidence bands are drawn; more bands would hide each other. */
const maxBands = 3;

/** Survival curves: the share of runs without a collapse over iterations, and the numbers at risk per group. */
export function SurvivalFigure({ report }: { report: Pick<ReturnType<typeof survival.answer>, "groups" | "titles"> }) {
  const { groups, titles } = report;
  const names = groups.map(({ group }) => group);
  const longest = Math.max(1, ...groups.flatMap(({ curve }) => curve.map(({ time }) => time)));
  const ticks = iterationTicks(0, longest);
  const coincidences = findCoincidences(groups.map(({ curve }) => curve));
  const looks = groups.map(({ group }, i) => ({
    group,
    title: titles[group] ?? group,
    color: methodColour(colourIndex(group, names)),
    ...(coincidences[i] ?? alone),
  }));
  return (
    <LiftedLineProvider>
      <SvgFigure
        title="Runs without collapse over iterations"
        caption={`Kaplan–Meier estimate. A tick marks a censored run, which ended or still runs without a collapse. Bands: 95 % confidence (log–log) of ${groups.length > maxBands ? "the line under the pointer" : "each line"}.${describeCoincidences(coincidences)}`}
        x={{ label: "Iteration", domain: [0, longest], ticks }}
        y={{ label: "Runs without collapse", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: formatPercent }}
        data={toSurvivalCsv(report)}
        keys={looks.map(({ title, color }) => ({ label: title, color }))}
        height={340}
        ends={({ x, y }) =>
          looks.map(({ group, title, color }, i) => {
            const last = groups[i]?.curve.at(-1);
            return { id: group, label: title, color, x: x(last?.time ?? 0), y: y(last?.survival ?? 1) };
          })
        }
        renderBelow={(frame) => <AtRisk {...{ groups, looks, ticks, longest, frame }} />}
      >
        {({ x, y }) =>
          groups.map(({ curve }, i) => (
            <Line
              key={looks[i]?.group}
              look={looks[i]}
              isCrowded={groups.length > maxBands}
              {...survivalPaths(curve, longest, { x, y })}
            />
          ))
        }
      </SvgFigure>
    </LiftedLineProvider>
  );
}

type Look = Coincidence & { group: string; title: string; color: string };

const alone: Coincidence = { numSame: 1, dash: undefined, offset: 0 };

type LineProps = ReturnType<typeof survivalPaths> & { look: Look | undefined; isCrowded: boolean };

function Line({ look, isCrowded, line, band, censored }: LineProps) {
  const [lifted, lift] = useLiftedLine();
  if (!look) return null;
  const { group, color, dash, offset } = look;
  return (
    <g opacity={isBehind(group, lifted) ? 0.25 : 1} onPointerEnter={() => lift(group)} onPointerLeave={() => lift()}>
      {(!isCrowded || lifted.has(group)) && <path d={band} fill={color} opacity={0.12} />}
      {/* A highlighted curve is drawn as a solid line, also where it coincides with other curves. */}
      <path
        d={line}
        fill="none"
        stroke={color}
        strokeWidth={dash === undefined ? 1.75 : 2.25}
        strokeDasharray={lifted.has(group) ? undefined : dash}
        strokeDashoffset={offset}
      />
      <path d={censored} stroke={color} strokeWidth={1.2} />
    </g>
  );
}

type AtRiskProps = Pick<SurvivalReport, "groups"> & {
  looks: readonly Look[];
  ticks: readonly number[];
  longest: number;
  /** Distances in pixels from the figure's left and right edge to the plot. */
  frame: { left: number; right: number };
};

/** Width in pixels right of the plot from which one name fits beside its numbers; otherwise names stand above them. */
const roomForName = 80;

/** Numbers of runs at risk. Groups with the same numbers share a row, below their names. */
function AtRisk({ groups, looks, ticks, longest, frame }: AtRiskProps) {
  const all = groups.map(({ group, curve }, i) => ({
    group,
    counts: ticks.map((tick) => countAtRisk(curve, tick)),
    look: looks[i],
  }));
  const rows = [...groupBy(all, ({ counts }) => counts.join()).values()].map((alike) => {
    return { alike, isBeside: alike.length === 1 && frame.right >= roomForName };
  });
  return (
    <table className="relative mt-1 block text-xs" aria-label="Runs at risk">
      <caption className="block text-left text-muted">
        {rows.length < groups.length ? "At risk, each" : "At risk"}
      </caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Group</th>
          {ticks.map((tick) => (
            <th key={tick} scope="col">
              at {tick}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block">
        {rows.map(({ alike, isBeside }) => (
          <tr key={alike[0]?.group} className={classes("relative block", isBeside ? "h-4" : "pb-5")}>
            <AtRiskNames names={alike} isBeside={isBeside} />
            {ticks.map((tick, k) => (
              <td
                key={tick}
                className="absolute bottom-0 -translate-x-1/2"
                style={{ left: `calc(${frame.left}px + ${tick / longest} * (100% - ${frame.left + frame.right}px))` }}
              >
                {alike[0]?.counts[k]}
              </td>
            ))}
            {isBeside && (
              <td
                aria-hidden="true"
                className="absolute right-0 truncate text-muted"
                style={{ width: frame.right - 14 }}
              >
                {alike[0]?.look?.title}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type NamesProps = { names: readonly { group: string; look: Look | undefined }[]; isBeside: boolean };

function AtRiskNames({ names, isBeside }: NamesProps) {
  const place = isBeside ? "absolute inset-y-0 left-0" : "flex-wrap gap-x-3";
  return (
    <th scope="row" className={classes("flex max-w-full items-center font-normal", place)}>
      {names.map(({ group, look }, i) => (
        <span key={group} title={look?.title} className="flex max-w-full items-center gap-1">
          {i > 0 && <span className="sr-only">, </span>}
          <span aria-hidden="true" className="size-2 shrink-0 rounded-full" style={{ background: look?.color }} />
          <span className={isBeside ? "sr-only" : "truncate text-muted"}>{look?.title}</span>
        </span>
      ))}
    </th>
  );
}

type Scales = { x: (time: number) => number; y: (share: number) => number };

/** Returns SVG paths of a step function from 1 at time 0, its confidence band, and ticks at censored runs. */
export function survivalPaths(curve: readonly SurvivalPoint[], longest: number, { x, y }: Scales) {
  const line = [`M${at(x(0))} ${at(y(1))}`];
  const upper: string[] = [];
  const lower: string[] = [];
  const censored: string[] = [];
  let open: { low: number; high: number } | undefined;
  for (const { time, survival, interval, numCensored } of curve) {
    line.push(`H${at(x(time))}V${at(y(survival))}`);
    if (open) {
      upper.push(`L${at(x(time))} ${at(y(open.high))}`);
      lower.unshift(`L${at(x(time))} ${at(y(open.low))}`);
    }
    if (Number.isFinite(interval.low)) {
      open = interval;
      upper.push(`L${at(x(time))} ${at(y(interval.high))}`);
      lower.unshift(`L${at(x(time))} ${at(y(interval.low))}`);
    } else open = undefined;
    if (numCensored > 0) censored.push(`M${at(x(time))} ${at(y(survival) - 4)}v8`);
  }
  const end = curve.at(-1)?.time ?? 0;
  line.push(`H${at(x(Math.min(longest, end)))}`);
  const outline = [...upper, ...lower].join("");
  return { line: line.join(""), band: outline && `M${outline.slice(1)}Z`, censored: censored.join("") };
}

/** Length in pixels of a stripe where several curves coincide. */
const stripe = 7;

type Coincidence = {
  /** Number of curves with identical values, including this curve. */
  numSame: number;
  /** Dash pattern that leaves gaps for the coinciding curves; undefined if no other curve coincides. */
  dash: string | undefined;
  offset: number;
};

/** Finds curves with identical values (censoring is ignored), which are drawn as one striped line. */
export function findCoincidences(curves: readonly (readonly SurvivalPoint[])[]): Coincidence[] {
  const names = curves.map((curve) =>
    JSON.stringify(curve.flatMap(({ time, survival, numEvents }) => (numEvents > 0 ? [time, survival] : []))),
  );
  return names.map((name, i) => {
    const numSame = names.filter((other) => other === name).length;
    if (numSame === 1) return { numSame, dash: undefined, offset: 0 };
    const nth = names.slice(0, i).filter((other) => other === name).length;
    return { numSame, dash: `${stripe} ${stripe * (numSame - 1)}`, offset: -stripe * nth };
  });
}

/** Describes coinciding curves: "6 of 10 lines coincide and are drawn as one striped line."; else empty. */
export function describeCoincidences(all: readonly Coincidence[]): string {
  const sets = new Map<number, number>();
  for (const { numSame } of all) if (numSame > 1) sets.set(numSame, (sets.get(numSame) ?? 0) + 1 / numSame);
  const sizes = [...sets].flatMap(([size, times]) => Array.from({ length: Math.round(times) }, () => size));
  if (sizes.length === 0) return "";
  const counts = sizes.toSorted((a, b) => b - a).join(" and ");
  return ` ${counts} of ${all.length} lines coincide and are drawn as one striped line.`;
}

/** Returns the number of runs at risk just before a time, that is, runs still observed and not yet collapsed. */
export function countAtRisk(curve: readonly SurvivalPoint[], time: number): number {
  return curve.find((point) => point.time >= time)?.numAtRisk ?? 0;
}

function toSurvivalCsv({ groups }: Pick<SurvivalReport, "groups">): (string | number)[][] {
  return [
    ["group", "time", "at_risk", "events", "censored", "survival", "low", "high"],
    ...groups.flatMap(({ group, curve }) =>
      curve.map((point) => [
        group,
        point.time,
        point.numAtRisk,
        point.numEvents,
        point.numCensored,
        point.survival,
        point.interval.low,
        point.interval.high,
      ]),
    ),
  ];
}

function at(pixel: number): string {
  return pixel.toFixed(1);
}
