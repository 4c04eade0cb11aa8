import type { RunReplay } from "#server/api/analysis/replay.ts";
import { statusChanges, type Severity } from "#packages/detector";

export function replayAt({ readings, iterations }: RunReplay, step: number) {
  const seen = readings.slice(0, step + 1);
  const last = seen.at(-1);
  const iteration = iterations[step] ?? 0;
  return {
    iteration,
    status: last?.status ?? ("warmup" as const),
    index: last?.index ?? 100,
    changes: statusChanges(seen),
  };
}

type Scales = { x: (value: number) => number; y: (value: number) => number };

export type Panel = {
  key: string;
  x: [number, number];
  y: [number, number];
  path: (scales: Scales) => string;
  marks: { iteration: number; severity: Severity; message: string }[];
  data: (string | number)[][];
};

/** Metrics of the panels: success, then possible causes. From each list, the first logged metric is shown. */
const shown = [
  ["rollout/successRate", "rollout/score", "rollout/returnMean", "evaluation/successRate"],
  ["update/gradientNorm"],
  ["policy/klReference", "policy/klOld"],
  ["policy/entropy"],
  ["rollout/responseTokens"],
  ["rollout/validActionRate", "rollout/validFormatRate"],
];

/** Returns the curves up to iteration `until`, on axes that cover the whole run. */
export function preparePanels({ iterations, series, events }: RunReplay, until: number): Panel[] {
  const marks = events
    .filter(({ iteration, severity }) => iteration <= until && severity !== "info")
    .map(({ iteration, severity, message }) => ({ iteration, severity, message }));
  return shown.flatMap((keys): Panel[] => {
    const found = keys.flatMap((key) => series.filter((one) => one.key === key))[0];
    if (!found) return [];
    const finite = found.values.flatMap((value) => (value === null ? [] : [value]));
    if (finite.length === 0) return [];
    const points = iterations.flatMap((iteration, i) => {
      const value = found.values[i];
      return value === null || value === undefined || iteration > until ? [] : [{ iteration, value }];
    });
    const low = finite.reduce((a, b) => Math.min(a, b), 0);
    const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    return [
      {
        key: found.key,
        x: [0, iterations.at(-1) ?? 1],
        y: [low, high > low ? high : low + 1],
        path: ({ x, y }) =>
          points
            .map(({ iteration, value }, i) => `${i === 0 ? "M" : "L"}${x(iteration).toFixed(1)} ${y(value).toFixed(1)}`)
            .join(""),
        marks,
        data: [["iteration", found.key], ...points.map(({ iteration, value }) => [iteration, value])],
      },
    ];
  });
}
