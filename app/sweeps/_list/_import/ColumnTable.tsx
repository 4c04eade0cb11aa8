"use client";
import { describeMetric, metricKeys } from "#trainer/spec/metric.ts";
import { formatCount } from "#app/_charts/format.ts";
import type { Column } from "./sendFiles.ts";

type Props = {
  columns: readonly Column[];
  chosen: Readonly<Record<string, string>>;
  onChoose: (name: string, metric: string) => void;
};

/** Maps each metric name of the files to a metric of the studio; editable before the import. */
export function ColumnTable({ columns, chosen, onChoose }: Props) {
  const numOther = columns.filter(
    ({ name, metric }) => (chosen[name] ?? metric ?? name) === name && metric !== name,
  ).length;
  return (
    <section aria-label="Metrics of the files" className="flex flex-col gap-1">
      <p className="text-sm">
        {formatCount(columns.length, "metric")}
        {numOther > 0 && `, ${numOther} without a match: choose the metric that it is. The choice is remembered.`}
      </p>
      <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line text-sm">
        {columns.map(({ name, metric }) => (
          <li key={`${name} ${metric}`} className="grid items-center gap-x-3 gap-y-1 px-2 py-1 sm:grid-cols-2">
            <span className="min-w-0 font-mono text-xs break-all">{name}</span>
            <select
              aria-label={`${name} is`}
              className="w-full min-w-0 rounded border border-edge bg-surface px-1.5 py-1"
              value={chosen[name] ?? metric ?? name}
              onChange={({ target }) => onChoose(name, target.value)}
            >
              <option value={name}>Keep its own name</option>
              {metricKeys
                .filter((key) => key !== name)
                .map((key) => (
                  <option key={key} value={key}>
                    {describeMetric(key).title} ({key})
                  </option>
                ))}
            </select>
          </li>
        ))}
      </ul>
    </section>
  );
}
