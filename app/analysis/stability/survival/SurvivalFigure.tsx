"use client";
import type { SurvivalReport } from "#server/domain/analysis/stability/survival.ts";
import { colourIndex } from "#server/domain/plan/sweep/colours.ts";
import { isBehind, LiftedLineProvider, useLiftedLine } from "#app/_charts/liftedLine.tsx";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { iterationTicks } from "#server/domain/runs/series/ticks.ts";
import { methodColour } from "#app/_ui/methodColour.ts";
import {
  countAtRisk,
  describeCoincidences,
  findCoincidences,
  survivalPaths,
  toSurvivalCsv,
  type Coincidence,
} from "./preparePaths.ts";

type Props = {
  report: SurvivalReport;
  /** Title of each group. */
  titles: Readonly<Record<string, string>>;
  /** Groups in their order. */
  names: readonly string[];
};

/** Maximum number of groups whose bands do not hide each other. */
const maxBands = 3;

/** Survival curves: fraction of runs without a collapse over iterations, with names at the lines and the numbers at risk below. */
export function SurvivalFigure({ report, titles, names }: Props) {
  const { groups } = report;
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
        caption={`Kaplan–Meier estimate. A tick marks a censored run, which ended or still runs without a collapse. Bands: 95 % (log–log) of ${groups.length > maxBands ? "the line under the pointer" : "each line"}.${describeCoincidences(coincidences)}`}
        x={{ label: "Iteration", domain: [0, longest], ticks }}
        y={{ label: "Share without collapse", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] }}
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

function Line({
  look,
  isCrowded,
  line,
  band,
  censored,
}: ReturnType<typeof survivalPaths> & { look: Look | undefined; isCrowded: boolean }) {
  const [lifted, lift] = useLiftedLine();
  if (!look) return null;
  const { group, color, dash, offset } = look;
  return (
    <g opacity={isBehind(group, lifted) ? 0.25 : 1} onPointerEnter={() => lift(group)} onPointerLeave={() => lift()}>
      {(!isCrowded || lifted.has(group)) && <path d={band} fill={color} opacity={0.12} />}
      {/* A highlighted line is drawn whole, also where it coincides with others. */}
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
  /** Pixels from the figure's sides to the plot's. */
  frame: { left: number; right: number };
};

/** Number of runs at risk below each tick of the axis. */
function AtRisk({ groups, looks, ticks, longest, frame }: AtRiskProps) {
  return (
    <table className="relative mt-1 block text-xs" aria-label="Runs at risk">
      <caption className="block text-left text-muted">At risk</caption>
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
        {groups.map(({ group, curve }, i) => (
          <tr key={group} className="relative block h-4">
            <th
              scope="row"
              className="absolute inset-y-0 left-0 flex items-center gap-1 font-normal"
              title={looks[i]?.title}
            >
              <span aria-hidden="true" className="size-2 rounded-full" style={{ background: looks[i]?.color }} />
              <span className="sr-only">{looks[i]?.title}</span>
            </th>
            {ticks.map((tick) => (
              <td
                key={tick}
                className="absolute -translate-x-1/2"
                style={{ left: `calc(${frame.left}px + ${tick / longest} * (100% - ${frame.left + frame.right}px))` }}
              >
                {countAtRisk(curve, tick)}
              </td>
            ))}
            <td
              aria-hidden="true"
              className="absolute right-0 truncate text-muted"
              style={{ width: Math.max(0, frame.right - 14) }}
            >
              {looks[i]?.title}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
