import { describeMetric, metricKeys } from "#trainer/spec/metric.ts";
import { groupMetrics } from "#app/_charts/groupMetrics.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { formatCount } from "#packages/base";
import type { Draft, ParameterDraft, SearchDraft } from "./draft/draft.ts";
import { fieldAt, fieldsOfEnvironment } from "./draft/fields.ts";
import {
  chooseRule,
  fieldsOfRow,
  fieldsOfSearch,
  kindsFor,
  kindTitles,
  planFieldAt,
  samplerTitles,
  startParameter,
  startSearch,
  textsOfKind,
} from "./draft/searchDraft.ts";
import { Problems, useForm } from "./form.tsx";
import { LevelField } from "./LevelFields.tsx";
import { iterationsPath, prepareGroups } from "./prepareGroups.ts";

type Props = { search: SearchDraft; set: (search: SearchDraft) => void };

export function Search() {
  const { draft, edit, issues } = useForm();
  const { search } = draft;
  const set = (changed: SearchDraft) => edit({ ...draft, search: changed });
  const hasOwnPlace = (field: string) =>
    planFieldAt(field) !== undefined || /^search\.(space|constraints)\.\d+/.test(field);
  const others = issues.filter(({ field }) => field.startsWith("search.") && !hasOwnPlace(field));
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label="Search for hyperparameters while the sweep runs"
        checked={search?.isOn ?? false}
        onChange={({ target }) => set({ ...(search ?? startSearch()), isOn: target.checked })}
      />
      {search?.isOn && (
        <>
          <p className="max-w-prose text-sm text-muted">
            Searches separately for each method and environment. A trial is one configuration sampled from the search
            space and trained with every seed.
          </p>
          {[...new Set(others.map(({ field }) => field))].map((field) => (
            <Problems key={field} field={field} />
          ))}
          <Space search={search} set={set} />
          <Rows search={search} set={set} name="objectives" />
          <Rows search={search} set={set} name="constraints" />
          <Trials search={search} set={set} />
          {search.known && (
            <p className="text-sm text-muted">
              Starts from {formatCount(search.known.length, "trial")} of another study. Edit these trials as YAML.
            </p>
          )}
        </>
      )}
    </div>
  );
}

function listOptions(draft: Draft): Option<string>[] {
  const groups = prepareGroups(draft, "");
  const environments = [...new Set(draft.environments.map(({ id }) => id))].flatMap((id) => fieldsOfEnvironment(id));
  const rows = [
    ...["budget.iterations", "policy.size", "policy.loraRank"].flatMap((path) => fieldAt(path) ?? []),
    ...groups.flatMap(({ items }) => items.flatMap(({ fields }) => fields)),
    ...environments,
  ].filter(({ kind }) => kind !== "set");
  return [...new Map(rows.map((field) => [field.path, field])).values()].map(({ path, title, group }) => ({
    value: path,
    label: title,
    group: group.charAt(0).toUpperCase() + group.slice(1),
  }));
}

function Space({ search, set }: Props) {
  const { draft } = useForm();
  const options = listOptions(draft);
  const replace = (i: number, parameter: ParameterDraft) => set({ ...search, space: search.space.with(i, parameter) });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">Search space</legend>
      {search.space.map((parameter, i) => (
        <ParameterFields
          key={i}
          index={i}
          parameter={parameter}
          options={options}
          onChange={(changed) => replace(i, changed)}
          onRemove={() => set({ ...search, space: search.space.toSpliced(i, 1) })}
        />
      ))}
      <Button
        className="self-start"
        onClick={() => set({ ...search, space: [...search.space, { path: "", kind: "uniform", values: {} }] })}
      >
        Add a hyperparameter
      </Button>
    </fieldset>
  );
}

type ParameterProps = {
  index: number;
  parameter: ParameterDraft;
  options: readonly Option<string>[];
  onChange: (parameter: ParameterDraft) => void;
  onRemove: () => void;
};

const textTitles: Readonly<Record<string, string>> = { low: "Low", high: "High", step: "Step", of: "Choices" };

function ParameterFields({ index, parameter, options, onChange, onRemove }: ParameterProps) {
  const { problemOf } = useForm();
  const { path, kind, values, when = {} } = parameter;
  const at = `search.space.${index}`;
  const titleOf = (name: string) => fieldAt(name)?.title ?? name;
  const isKnown = options.some(({ value }) => value === path);
  const own = { value: path, label: path === "" ? "Choose…" : titleOf(path) };
  const conditions = Object.entries(when).map(([name, of]) => `${titleOf(name)} is ${of.join(" or ")}`);
  return (
    <div role="group" aria-label={path === "" ? "New hyperparameter" : titleOf(path)}>
      <div className={`${row} sm:grid-cols-[2fr_1fr_repeat(3,1fr)_auto]`}>
        <ChoiceField
          label="Hyperparameter"
          options={isKnown ? options : [own, ...options]}
          value={path}
          error={problemOf(`${at}.path`)}
          onChange={(chosen) => onChange(startParameter(chosen))}
        />
        <ChoiceField
          label="Range"
          options={[...new Set([...kindsFor(path), kind])].map((value) => ({
            value,
            label: kindTitles[value] ?? value,
          }))}
          value={kind}
          onChange={(chosen) => onChange({ ...parameter, kind: chosen })}
        />
        {textsOfKind(kind).map((name) => (
          <LevelField
            key={name}
            field={{
              kind: "text",
              path: `${at}.${name}`,
              group: "search",
              title: textTitles[name] ?? name,
              description: "",
            }}
            text={values[name] ?? ""}
            problem={problemOf(`${at}.${name}`)}
            className={name === "of" ? "max-sm:col-span-2 sm:col-span-3" : ""}
            onChange={(text) => onChange({ ...parameter, values: { ...values, [name]: text } })}
          />
        ))}
        <Remove className="sm:col-start-6" onClick={onRemove} />
      </div>
      <Problems field={at} />
      {conditions.length > 0 && (
        <p className="text-xs text-muted">
          This hyperparameter is searched only if {conditions.join(" and ")}. Edit this condition as YAML.
        </p>
      )}
    </div>
  );
}

/** CSS classes that place form fields side by side, with their errors below. */
const row = "grid grid-cols-2 items-start gap-x-3 gap-y-2";

function Remove({ className = "", onClick }: { className?: string; onClick: () => void }) {
  return (
    <Button kind="quiet" className={`mt-6 justify-self-start ${className}`} onClick={onClick}>
      Remove
    </Button>
  );
}

const groupOf = new Map(groupMetrics(metricKeys).flatMap(({ title, keys }) => keys.map((key) => [key, title])));

function describe(option: string) {
  const group = groupOf.get(option);
  if (group !== undefined) return { label: describeMetric(option).title, group };
  const label = titles[option];
  return label === undefined ? undefined : { label };
}

const titles: Readonly<Record<string, string>> = {
  ...samplerTitles,
  collapsed: "Share of collapsed runs",
  maximize: "Maximize",
  minimize: "Minimize",
  asha: "ASHA",
  halving: "Successive halving",
  friedman: "Friedman",
  t: "Paired t",
  iterations: "Iterations",
  seeds: "Seeds",
};

const lists = {
  objectives: { title: "Objective", min: 1, max: 3, start: { metric: "collapsed", goal: "minimize" } },
  constraints: { title: "Constraint", min: 0, max: 4, start: { metric: "evaluation/successRate" } },
} as const;

function Rows({ search, set, name }: Props & { name: keyof typeof lists }) {
  const { problemOf } = useForm();
  const { title, min, max, start } = lists[name];
  const all = search[name];
  const change = (changed: SearchDraft["objectives"]) => set({ ...search, [name]: changed });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">{title}s</legend>
      {all.map((one, i) => (
        <div key={i} role="group" aria-label={`${title} ${i + 1}`}>
          <div className={`${row} sm:grid-cols-[2fr_1fr_1fr_2fr]`}>
            {fieldsOfRow(name).map((field) => {
              const text = field.path.split(".").at(-1) ?? "";
              return (
                <LevelField
                  key={text}
                  field={field}
                  text={one[text] ?? ""}
                  problem={problemOf(`search.${name}.${i}.${text}`)}
                  describe={describe}
                  onChange={(typed) => change(all.with(i, { ...one, [text]: typed }))}
                />
              );
            })}
            {all.length > min && <Remove onClick={() => change(all.toSpliced(i, 1))} />}
          </div>
          <Problems field={`search.${name}.${i}`} />
        </div>
      ))}
      {all.length < max && (
        <Button className="self-start" onClick={() => change([...all, start])}>
          Add {title === "Objective" ? "an" : "a"} {title.toLowerCase()}
        </Button>
      )}
    </fieldset>
  );
}

const rules = [
  { value: "none", label: "Train every trial to the end" },
  { value: "halving", label: "Halving: train only the best trials of each rung further" },
  { value: "racing", label: "Racing: stop a trial once it is significantly worse than the best" },
] as const;

function Trials({ search, set }: Props) {
  const { draft, problemOf } = useForm();
  const budget = fieldAt(iterationsPath);
  const usual = budget?.kind === "number" ? (budget.default ?? 1) : 1;
  const iterations = Number.parseFloat(draft.values[iterationsPath] ?? "") || usual;
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">Trials</legend>
      <ChoiceField
        label="Early stopping of trials"
        className="max-w-md"
        options={rules}
        value={search.rule}
        onChange={(rule) => set(chooseRule(search, rule, iterations))}
      />
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {fieldsOfSearch(search).map((field) => {
          const name = field.path.slice("search.".length);
          return (
            <LevelField
              key={name}
              field={field}
              text={search.values[name] ?? ""}
              problem={problemOf(field.path)}
              hint={field.description}
              describe={describe}
              isOptional
              onChange={(text) => set({ ...search, values: { ...search.values, [name]: text } })}
            />
          );
        })}
      </div>
    </fieldset>
  );
}
