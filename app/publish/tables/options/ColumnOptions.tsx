"use client";
import { describeMetric } from "#trainer/spec/metric.ts";
import {
  maxOf,
  optionDefaults,
  type TableColumn,
  wordingDefaults,
} from "#server/domain/publish/tables/builder/options.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Kept, Section } from "./Kept.tsx";
import { type SectionProps, toggleName } from "./section.ts";
import { isMissing, type PaperItem } from "#server/domain/publish/papers/paper.ts";
import { paperItems } from "#server/domain/publish/papers/papers.ts";

const collapses = [
  { value: "column", label: "In a column" },
  { value: "marks", label: "As marks on cells" },
  { value: "none", label: "Not shown" },
] as const;

export function ColumnOptions(section: SectionProps) {
  const { options, wording, choices, set, word } = section;
  return (
    <Section title="Columns">
      <LayoutChoice {...section} />
      {options.columns.length > 0 ? (
        <ChosenColumns {...section} />
      ) : (
        <>
          <Metrics {...section} />
          {choices?.hasTasks === true && (
            <Checkbox
              label="Success by type of task"
              checked={options.tasks}
              onChange={({ target }) => set({ tasks: target.checked })}
            />
          )}
          <Environments {...section} />
        </>
      )}
      <ChoiceField
        label="Collapsed seeds"
        options={collapses}
        value={options.collapse}
        onChange={(collapse) => set({ collapse })}
      />
      <Checkbox
        label="Show the number of seeds"
        checked={wording.counts}
        onChange={({ target }) => word({ counts: target.checked })}
      />
    </Section>
  );
}

function Metrics({ options, choices, update }: SectionProps) {
  const unchosen = (choices?.metrics ?? []).filter((key) => !options.metrics.includes(key));
  return (
    <div className="flex flex-col gap-1">
      <span className="text-sm font-medium">Metrics</span>
      {options.metrics.map((key) => (
        <span key={key} className="flex items-center justify-between gap-2 text-sm">
          <span className="min-w-0 truncate" title={key}>
            {describeMetric(key).title}
          </span>
          {options.metrics.length > 1 && (
            <button
              type="button"
              aria-label={`Remove ${describeMetric(key).title}`}
              className="text-muted hover:text-text"
              onClick={() => update(({ metrics }) => ({ metrics: metrics.filter((other) => other !== key) }))}
            >
              <Icon name="cross" className="size-3.5" />
            </button>
          )}
        </span>
      ))}
      {options.metrics.length < maxOf.metrics ? (
        <MetricPicker
          label="Add a metric…"
          keys={unchosen}
          onPick={(key) => update(({ metrics }) => ({ metrics: [...metrics, key] }))}
        />
      ) : (
        <p className="text-xs text-muted">
          A table has at most {maxOf.metrics} metrics. Remove a metric to add another metric.
        </p>
      )}
    </div>
  );
}

function Environments({ options, choices, update, set }: SectionProps) {
  const environments = choices?.environments ?? [];
  if (environments.length < 2) return null;
  return (
    <>
      <Kept
        title="Environments"
        all={environments}
        without={options.withoutEnvironments}
        onToggle={(name) => update((now) => ({ withoutEnvironments: toggleName(now.withoutEnvironments, name) }))}
      />
      <Checkbox
        label="Add the average over environments"
        checked={options.average}
        onChange={({ target }) => set({ average: target.checked })}
      />
    </>
  );
}

const layouts = paperItems.flatMap((item) => {
  const table = tableOf(item);
  return table ? [{ item, ...table }] : [];
});

/** Chooses the columns: by metric and environment, by hand, or as in a paper's table with its published numbers. */
function LayoutChoice({ options, wording, choices, set, word }: SectionProps) {
  const { metrics: _, ...defaults } = optionDefaults;
  const reset = { ...defaults, without: [], withoutEnvironments: [], columns: [] };
  const pick = (id: string) => {
    const layout = layouts.find(({ item }) => item.id === id);
    if (layout) {
      set({ ...reset, ...layout.options });
      word({ ...wordingDefaults, references: [], ...layout.wording });
    } else if (id === "metrics") {
      set({ columns: [] });
      word({ references: [] });
    } else {
      const columns = (choices?.environments ?? []).flatMap((environment) =>
        options.metrics.map((metric) => ({ environment, metric })),
      );
      set({ columns });
    }
  };
  const chosen = layouts.find(({ item }) => item.id === wording.label)?.item.id;
  return (
    <ChoiceField
      label="Layout"
      options={[
        { value: "metrics", label: "By environment and metric" },
        { value: "hand", label: "Columns chosen by hand" },
        ...layouts.map(({ item }) => ({ value: item.id, label: item.title, group: "Papers" })),
      ]}
      value={options.columns.length === 0 ? "metrics" : (chosen ?? "hand")}
      onChange={pick}
    />
  );
}

function tableOf({ scales: { embedded, llm } }: PaperItem) {
  const recipe = isMissing(embedded) ? llm : embedded;
  if (isMissing(recipe) || recipe.result.kind !== "table" || !recipe.result.options.columns) return undefined;
  return { options: recipe.result.options, wording: recipe.result.wording };
}

/** Columns chosen by hand. Values that the user typed for a removed column are dropped. */
function ChosenColumns({ options, wording, choices, set, word }: SectionProps) {
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
        label="Add the average over columns with a value"
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
