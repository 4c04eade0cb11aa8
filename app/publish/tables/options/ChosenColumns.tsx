"use client";
import { describeMetric } from "#trainer/spec/metric.ts";
import { maxOf, type TableColumn } from "#server/domain/publish/tables/builder/options.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import type { SectionProps } from "./section.ts";

/** Columns chosen by hand: their order, and columns to add. Typed-in rows lose the value of a removed column. */
export function ChosenColumns({ options, wording, choices, set, word }: SectionProps) {
  const { columns } = options;
  const drop = (index: number) => {
    set({ columns: columns.filter((_, i) => i !== index) });
    const references = wording.references.map((row) => ({ ...row, values: row.values.filter((_, i) => i !== index) }));
    word({ references });
  };
  const raise = (index: number) => {
    set({ columns: swap(columns, index) });
    word({ references: wording.references.map((row) => ({ ...row, values: swap(row.values, index) })) });
  };
  return (
    <div className="flex flex-col gap-2">
      <ol className="flex flex-col gap-1 text-sm">
        {columns.map((column, i) => (
          <li key={`${column.environment} ${column.metric}`} className="flex items-center gap-1">
            <span className="min-w-0 flex-1 truncate" title={`${column.environment}: ${column.metric}`}>
              {titleOf(column)}
            </span>
            <ColumnButton
              label={`Move ${titleOf(column)} to the left`}
              icon="chevron"
              disabled={i === 0}
              onClick={() => raise(i)}
            />
            <ColumnButton label={`Remove ${titleOf(column)}`} icon="cross" onClick={() => drop(i)} />
          </li>
        ))}
      </ol>
      {columns.length < maxOf.columns &&
        (choices?.environments ?? []).map((environment) => (
          <MetricPicker
            key={environment}
            label={`Add a column of ${environment}…`}
            keys={unchosen(choices?.metrics ?? [], columns, environment)}
            onPick={(metric) => set({ columns: [...columns, { environment, metric }] })}
          />
        ))}
      <Checkbox
        label="Average over available values"
        checked={options.average}
        onChange={({ target }) => set({ average: target.checked, averageOf: "present" })}
      />
    </div>
  );
}

type ButtonProps = { label: string; icon: "chevron" | "cross"; disabled?: boolean; onClick: () => void };

function ColumnButton({ label, icon, ...rest }: ButtonProps) {
  return (
    <button type="button" aria-label={label} className="p-1 text-muted hover:text-text disabled:opacity-30" {...rest}>
      <Icon name={icon} className={icon === "chevron" ? "size-3.5 -rotate-90" : "size-3.5"} />
    </button>
  );
}

function titleOf({ environment, metric, group = environment, header = describeMetric(metric).title }: TableColumn) {
  return `${group} ${header}`;
}

function swap<Item>(items: readonly Item[], index: number): Item[] {
  const [moved] = items.slice(index, index + 1);
  if (moved === undefined || index === 0) return [...items];
  return [...items.slice(0, index - 1), moved, ...items.slice(index - 1, index), ...items.slice(index + 1)];
}

function unchosen(keys: readonly string[], columns: readonly TableColumn[], environment: string): string[] {
  return keys.filter((key) => !columns.some((column) => column.environment === environment && column.metric === key));
}
