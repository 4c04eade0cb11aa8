"use client";
import { formatValue } from "./format.ts";
import type { ValueRow } from "./prepareChart.ts";
import { lastValues } from "./valuesAt.ts";

/** Last values of the chart as text, for readers who cannot see the lines or want to copy a number. */
export function LastValues({ title, rows, axis }: { title: string; rows: readonly ValueRow[]; axis: string }) {
  const readings = lastValues(rows);
  if (readings.length === 0) return null;
  return (
    <details className="mt-1 text-xs">
      <summary className="text-muted hover:text-text">Last values</summary>
      <div className="overflow-x-auto">
        <table className="mt-1 w-full">
          <caption className="sr-only">Last values of {title}</caption>
          <thead className="text-left text-muted">
            <tr>
              <th className="font-normal">Line</th>
              <th className="text-right font-normal">Value</th>
              <th className="text-right font-normal">Low</th>
              <th className="text-right font-normal">High</th>
              <th className="text-right font-normal">n</th>
              <th className="text-right font-normal">{axis}</th>
            </tr>
          </thead>
          <tbody>
            {readings.map(({ entry, value, low, high, count, iteration }) => (
              <tr key={entry.id}>
                <th scope="row" className="text-left font-normal">
                  <span className="mr-1.5 inline-block size-2 rounded-full" style={{ background: entry.color }} />
                  {entry.label}
                </th>
                <td className="text-right">{formatValue(value)}</td>
                <td className="text-right">{formatValue(low)}</td>
                <td className="text-right">{formatValue(high)}</td>
                <td className="text-right">{count}</td>
                <td className="text-right">{iteration.toLocaleString("en-US")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
