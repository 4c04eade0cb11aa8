"use client";
import { describeMetric } from "#trainer/spec/metric.ts";
import { Select } from "../_ui/Input.tsx";
import { groupMetrics } from "./groupMetrics.ts";

type Props = { known: readonly string[]; shown: readonly string[]; onAdd: (key: string) => void };

/** Adds a chart of any metric that was logged. */
export function MetricPicker({ known, shown, onAdd }: Props) {
  const rest = known.filter((key) => !shown.includes(key));
  if (rest.length === 0) return null;
  return (
    <Select aria-label="Add a metric" value="" onChange={(event) => event.target.value && onAdd(event.target.value)}>
      <option value="">Add a metric…</option>
      {groupMetrics(rest).map(({ title, keys }) => (
        <optgroup key={title} label={title}>
          {keys.map((key) => (
            <option key={key} value={key}>
              {describeMetric(key).title}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
