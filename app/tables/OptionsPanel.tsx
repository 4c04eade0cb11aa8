"use client";
import { useState, type ReactNode } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { BuiltTable } from "#server/api/reports/builtTables.ts";
import {
  fillOptions,
  fillWording,
  mostOf,
  type FullOptions,
  type TableOptions,
  type TableWording,
} from "#server/domain/tables/builder/options.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Input, Select, TextArea } from "#app/_ui/Input.tsx";
import type { Asked, Change } from "./address.ts";

type Props = {
  asked: Asked;
  /** Shown unless others are asked for. */
  metrics: readonly string[];
  choices: BuiltTable["choices"] | undefined;
  /** The row that is compared with unless told. */
  baseline: string;
  onChange: (change: Change) => void;
};

const rules = { final: "Final window", best: "Best (biased)", last: "Last" };
const intervals = {
  std: "± standard deviation",
  sem: "± standard error",
  t: "± 95% t interval",
  bootstrap: "[95% bootstrap interval]",
  none: "Mean alone",
};
const tests = {
  auto: "Welch, or permutation where seeds collapsed",
  welch: "Welch's t",
  permutation: "Permutation of means",
  mannWhitney: "Mann–Whitney",
  none: "None",
};
const changes = { none: "None", relative: "Percent of the baseline", points: "Difference" };
const collapses = { column: "A column", marks: "Marks on cells", none: "Not shown" };
const widths = { auto: "As wide as it needs", column: "One column", page: "Whole page" };

/** Everything that a table can be asked for; each change shows at once. */
export function OptionsPanel({ asked, metrics: shown, choices, baseline, onChange }: Props) {
  const fill = (given: TableOptions) => fillOptions({ metrics: [...shown], ...given });
  const options = fill(asked.options);
  const wording = fillWording(asked.wording);
  const update = (change: (now: FullOptions) => TableOptions) =>
    onChange((now) => ({ ...now, options: { ...now.options, ...change(fill(now.options)) } }));
  const set = (change: TableOptions) => update(() => change);
  const word = (change: TableWording) => onChange((now) => ({ ...now, wording: { ...now.wording, ...change } }));
  const rows = choices?.rows ?? [];
  const environments = choices?.environments ?? [];
  const kept = rows.filter((row) => !options.without.includes(row));
  return (
    <form aria-label="Options of the table" className="min-w-0 space-y-3" onSubmit={(event) => event.preventDefault()}>
      <Section title="Columns">
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
          {options.metrics.length < mostOf.metrics ? (
            <MetricPicker
              label="Add a metric…"
              keys={(choices?.metrics ?? []).filter((key) => !options.metrics.includes(key))}
              onPick={(key) => update(({ metrics }) => ({ metrics: [...metrics, key] }))}
            />
          ) : (
            <p className="text-xs text-muted">
              A table has {mostOf.metrics} metrics at most: remove one to add another.
            </p>
          )}
        </div>
        {choices?.hasTasks === true && (
          <Checkbox
            label="Success by type of task"
            checked={options.tasks}
            onChange={({ target }) => set({ tasks: target.checked })}
          />
        )}
        {environments.length > 1 && (
          <>
            <Kept
              title="Environments"
              all={environments}
              without={options.withoutEnvironments}
              onToggle={(name) => update((now) => ({ withoutEnvironments: toggle(now.withoutEnvironments, name) }))}
            />
            <Checkbox
              label="Average over environments"
              checked={options.average}
              onChange={({ target }) => set({ average: target.checked })}
            />
          </>
        )}
        <Choice
          label="Collapsed seeds"
          words={collapses}
          value={options.collapse}
          onPick={(collapse) => set({ collapse })}
        />
        <Checkbox
          label="Number of seeds"
          checked={wording.counts}
          onChange={({ target }) => word({ counts: target.checked })}
        />
      </Section>
      <Section title="Numbers">
        <Choice label="Checkpoint" words={rules} value={options.rule} onPick={(rule) => set({ rule })} />
        <Choice label="Spread" words={intervals} value={options.interval} onPick={(interval) => set({ interval })} />
        <Field label="Decimals">
          {(wiring) => (
            <Select
              {...wiring}
              className="w-full"
              value={wording.decimals ?? ""}
              onChange={({ target: { value } }) => {
                onChange((now) => {
                  const { decimals: _, ...rest } = now.wording;
                  return { ...now, wording: value === "" ? rest : { ...rest, decimals: Number(value) } };
                });
              }}
            >
              <option value="">By metric</option>
              {[0, 1, 2, 3, 4].map((n) => (
                <option key={n} value={n}>
                  {n}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Checkbox
          label="Best bold, second underlined"
          checked={wording.marks}
          onChange={({ target }) => word({ marks: target.checked })}
        />
      </Section>
      <Section title="Against a baseline">
        <Field label="Baseline">
          {(wiring) => (
            <Select
              {...wiring}
              className="w-full"
              value={options.baseline ?? baseline}
              onChange={({ target }) => set({ baseline: target.value })}
            >
              <option value="">None</option>
              {withChosen(kept, options.baseline).map((row) => (
                <option key={row}>{row}</option>
              ))}
            </Select>
          )}
        </Field>
        <Choice label="Test, corrected by Holm" words={tests} value={options.test} onPick={(test) => set({ test })} />
        <Choice label="Change" words={changes} value={options.change} onPick={(change) => set({ change })} />
      </Section>
      <Section title="Rows">
        <Field label="Grouped by">
          {(wiring) => (
            <Select
              {...wiring}
              className="w-full"
              value={options.group}
              onChange={({ target }) => set({ group: target.value })}
            >
              {(choices?.groups ?? []).map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Kept
          title="Shown"
          all={rows}
          without={options.without}
          onToggle={(name) => update((now) => ({ without: toggle(now.without, name) }))}
        />
        <Field label="Ours, set off">
          {(wiring) => (
            <Select
              {...wiring}
              className="w-full"
              value={wording.ours}
              onChange={({ target }) => word({ ours: target.value })}
            >
              <option value="">None</option>
              {withChosen(kept, wording.ours).map((row) => (
                <option key={row}>{row}</option>
              ))}
            </Select>
          )}
        </Field>
      </Section>
      <Section title="Words">
        <Late
          label="Caption"
          hint="What the numbers mean is added to it."
          value={wording.caption}
          most={mostOf.caption}
          isLong
          onChange={(caption) => word({ caption })}
        />
        <Late
          label="Label"
          hint="\ref{tab:…}"
          value={wording.label}
          most={mostOf.label}
          onChange={(label) => word({ label })}
        />
        <Choice label="Width in LaTeX" words={widths} value={wording.width} onPick={(width) => word({ width })} />
      </Section>
    </form>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5 rounded-lg border border-line bg-surface p-3">
      <legend className="float-left mb-1 w-full font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  words: Readonly<Record<Value, string>>;
  value: Value;
  onPick: (value: Value) => void;
};

function Choice<Value extends string>({ label, words, value, onPick }: ChoiceProps<Value>) {
  const isValue = (text: string): text is Value => Object.hasOwn(words, text);
  return (
    <Field label={label}>
      {(wiring) => (
        <Select
          {...wiring}
          className="w-full"
          value={value}
          onChange={({ target }) => isValue(target.value) && onPick(target.value)}
        >
          {Object.entries<string>(words).map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** What an old link asks for is shown as chosen even where it is not there: what is not shown cannot be unchosen. */
function withChosen(rows: readonly string[], chosen = ""): readonly string[] {
  return chosen === "" || rows.includes(chosen) ? rows : [...rows, chosen];
}

type KeptProps = {
  title: string;
  all: readonly string[];
  without: readonly string[];
  onToggle: (name: string) => void;
};

function toggle(without: readonly string[], name: string): string[] {
  return without.includes(name) ? without.filter((other) => other !== name) : [...without, name];
}

/** Which of some names stay; the last one cannot be taken away. */
function Kept({ title, all, without, onToggle }: KeptProps) {
  const numKept = all.filter((name) => !without.includes(name)).length;
  return (
    <details>
      <summary className="text-sm font-medium">
        {title}{" "}
        <span className="font-normal text-muted">
          {numKept} of {all.length}
        </span>
      </summary>
      <div className="mt-1 flex max-h-56 flex-col gap-1 overflow-auto text-sm">
        {all.map((name) => {
          const isKept = !without.includes(name);
          return (
            <Checkbox
              key={name}
              label={name}
              checked={isKept}
              disabled={isKept && numKept === 1}
              onChange={() => onToggle(name)}
            />
          );
        })}
      </div>
    </details>
  );
}

type LateProps = {
  label: string;
  hint: string;
  value: string;
  /** Characters. */
  most: number;
  isLong?: boolean;
  onChange: (value: string) => void;
};

/** A text that counts once it is left or entered: the address does not change with every key. */
function Late({ label, hint, value, most, isLong = false, onChange }: LateProps) {
  const [typed, setTyped] = useState<string>();
  const shared = {
    value: typed ?? value,
    maxLength: most,
    onChange: ({ target }: { target: { value: string } }) => setTyped(target.value),
    onBlur: () => {
      if (typed !== undefined && typed !== value) onChange(typed);
      setTyped(undefined);
    },
  };
  return (
    <Field label={label} hint={hint}>
      {(wiring) =>
        isLong ? (
          <TextArea {...wiring} rows={3} {...shared} />
        ) : (
          <Input
            {...wiring}
            {...shared}
            onKeyDown={(event) => {
              if (event.key === "Enter") event.currentTarget.blur();
            }}
          />
        )
      }
    </Field>
  );
}
