import { useState } from "react";
import { describeMetric, metricKeys } from "#trainer/spec/metric.ts";
import { groupMetrics } from "#app/_charts/groupMetrics.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { formatCount } from "#packages/base";
import { fieldAt, fieldsOfEnvironment } from "./draft/fields.ts";
import {
  boundsOfKind,
  changeKind,
  chooseRule,
  fieldsOfRow,
  fieldsOfSearch,
  kindsFor,
  kindTitles,
  planFieldAt,
  readBound,
  ruleOf,
  startParameter,
  startSearch,
} from "./draft/planFields.ts";
import { isPart, listIn, partsIn, readIn, setIn, textIn, type Part } from "./draft/sweepFile.ts";
import { formatField } from "#app/_components/setting/texts.ts";
import { Problems, useForm } from "./form.tsx";
import { LevelField, PlanField, ValueField } from "./LevelFields.tsx";
import { iterationsOf, prepareGroups } from "./prepareGroups.ts";
import { samplerTitles } from "./sections.ts";

export function Search() {
  const { file, aside, edit, issues } = useForm();
  const search = readIn(file, ["search"]);
  const hasOwnPlace = (field: string) =>
    planFieldAt(field) !== undefined || /^search\.(space\.|constraints\.\d+)/.test(field);
  const others = issues.filter(({ field }) => /^search\b/.test(field) && !hasOwnPlace(field));
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label="Search for hyperparameters while the sweep runs"
        checked={search !== undefined}
        onChange={({ target }) =>
          edit(
            setIn(file, ["search"], target.checked ? (aside["search"] ?? startSearch()) : undefined),
            target.checked ? aside : { ...aside, search },
          )
        }
      />
      {isPart(search) && (
        <>
          <p className="max-w-prose text-sm text-muted">
            Searches separately for each method and environment. A trial is one configuration sampled from the search
            space and trained with every seed.
          </p>
          {[...new Set(others.map(({ field }) => field))].map((field) => (
            <Problems key={field} field={field} />
          ))}
          <Space search={search} />
          <Rows name="objective" />
          <Trials search={search} />
          {search["known"] !== undefined && (
            <p className="text-sm text-muted">
              Starts from {formatCount(listIn(search, ["known"]).length, "trial")} of another study. Edit these trials
              as YAML.
            </p>
          )}
        </>
      )}
    </div>
  );
}

function listOptions(file: Part): Option<string>[] {
  const groups = prepareGroups(file, "");
  const ids = partsIn(file, ["environments"]).map(({ id }) => id);
  const environments = [...new Set(ids)].flatMap((id) => fieldsOfEnvironment(id));
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

function Space({ search }: { search: Part }) {
  const { file, edit } = useForm();
  const options = listOptions(file);
  const space = readIn(search, ["space"]);
  const entries = Object.entries(isPart(space) ? space : {});
  const set = (changed: readonly (readonly [string, unknown])[]) =>
    edit(setIn(file, ["search", "space"], Object.fromEntries(changed)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">Search space</legend>
      {entries.map(([path, parameter], i) => (
        <ParameterFields
          key={i}
          path={path}
          parameter={isPart(parameter) ? parameter : {}}
          // A hyperparameter is searched once.
          options={options.filter(({ value }) => value === path || !entries.some(([other]) => other === value))}
          onChange={(name, changed) => set(entries.with(i, [name, changed]))}
          onRemove={() => set(entries.toSpliced(i, 1))}
        />
      ))}
      <Button
        className="self-start"
        disabled={entries.some(([path]) => path === "")}
        onClick={() => set([...entries, ["", startParameter("")]])}
      >
        Add a hyperparameter
      </Button>
    </fieldset>
  );
}

type ParameterProps = {
  path: string;
  parameter: Part;
  options: readonly Option<string>[];
  onChange: (path: string, parameter: Part) => void;
  onRemove: () => void;
};

const textTitles: Readonly<Record<string, string>> = { low: "Low", high: "High", step: "Step", of: "Choices" };

function ParameterFields({ path, parameter, options, onChange, onRemove }: ParameterProps) {
  const { problemOf } = useForm();
  const kind = textIn(parameter, ["kind"]);
  const at = `search.space.${path}`;
  const isKnown = options.some(({ value }) => value === path);
  const own = { value: path, label: path === "" ? "Choose…" : titleOf(path) };
  return (
    <div role="group" aria-label={path === "" ? "New hyperparameter" : titleOf(path)}>
      <div className={`${row} sm:grid-cols-[2fr_1fr_repeat(3,1fr)_auto]`}>
        <ChoiceField
          label="Hyperparameter"
          options={isKnown ? options : [own, ...options]}
          value={path}
          error={path === "" ? problemOf(at) : undefined}
          onChange={(chosen) => onChange(chosen, startParameter(chosen))}
        />
        <ChoiceField
          label="Range"
          options={[...new Set([...kindsFor(path), kind])].map((value) => ({
            value,
            label: kindTitles[value] ?? value,
          }))}
          value={kind}
          onChange={(chosen) => onChange(path, changeKind(parameter, chosen))}
        />
        {boundsOfKind(kind).map((name) => {
          const field = {
            ...(fieldAt(path) ?? { kind: "number", group: "search", integer: false }),
            path: `${at}.${name}`,
            title: textTitles[name] ?? name,
            description: "",
          } as const;
          return (
            <LevelField
              key={name}
              field={field}
              isText
              placeholder=""
              text={formatField(parameter[name], field)}
              problem={problemOf(`${at}.${name}`)}
              className={name === "of" ? "max-sm:col-span-2 sm:col-span-3" : ""}
              onChange={(text) => onChange(path, setIn(parameter, [name], readBound(text, name, field)))}
            />
          );
        })}
        <Remove className="sm:col-start-6" onClick={onRemove} />
      </div>
      {path !== "" && <Problems field={at} />}
      <Condition when={parameter["when"]} />
    </div>
  );
}

const titleOf = (name: string) => fieldAt(name)?.title ?? name;

function Condition({ when }: { when: unknown }) {
  if (!isPart(when)) return null;
  const conditions = Object.entries(when).map(([name, of]) => `${titleOf(name)} is ${[of].flat().join(" or ")}`);
  return (
    <p className="text-xs text-muted">
      This hyperparameter is searched only if {conditions.join(" and ")}. Edit this condition as YAML.
    </p>
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
  objective: { title: "Objective", min: 1, max: 3, start: { metric: "collapsed", goal: "minimize" } },
  constraints: { title: "Constraint", min: 0, max: 4, start: { metric: "evaluation/successRate" } },
} as const;

function Rows({ name }: { name: keyof typeof lists }) {
  const { file, edit } = useForm();
  const { title, min, max, start } = lists[name];
  const at = ["search", name];
  const all = [readIn(file, at) ?? []].flat();
  // A single objective stands in the file without a list.
  const isSingle = name === "objective" && all.length === 1;
  const set = (changed: readonly unknown[]) =>
    edit(
      setIn(
        file,
        at,
        name === "objective" && changed.length === 1 ? changed[0] : changed.length > 0 ? changed : undefined,
      ),
    );
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium">{title}s</legend>
      {all.map((_, i) => (
        <div key={i} role="group" aria-label={`${title} ${i + 1}`}>
          <div className={`${row} sm:grid-cols-[2fr_1fr_1fr_2fr]`}>
            {fieldsOfRow(name).map((field) => (
              <ValueField
                key={field.path}
                field={field}
                at={[...at, ...(isSingle ? [] : [i]), field.path.split(".").at(-1) ?? ""]}
                describe={describe}
              />
            ))}
            {all.length > min && <Remove onClick={() => set(all.toSpliced(i, 1))} />}
          </div>
          <Problems field={`search.${name}.${i}`} />
        </div>
      ))}
      {all.length < max && (
        <Button className="self-start" onClick={() => set([...all, start])}>
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

/** The number of trials, and folded: what bounds and stops them, and the sampler. */
function Trials({ search }: { search: Part }) {
  const { file, edit, issues } = useForm();
  const [main, more] = [true, false].map((isMain) =>
    fieldsOfSearch(search).filter(({ path }) => (path === "search.trials") === isMain),
  );
  const isSet = (field: string) => readIn(file, field.split(".")) !== undefined;
  const [isOpen, setOpen] = useState(false);
  const isInUse =
    ["search.constraints", "search.halving", "search.racing"].some(isSet) ||
    issues.some(({ field }) => field.startsWith("search.constraints") || more?.some(({ path }) => path === field));
  return (
    <>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {main?.map((field) => (
          <PlanField key={field.path} field={field} describe={describe} />
        ))}
      </div>
      <details open={isOpen || isInUse} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="w-fit cursor-pointer text-sm text-muted hover:text-text">
          Constraints, early stopping, sampler and limits
        </summary>
        <div className="mt-3 flex flex-col gap-4">
          <Rows name="constraints" />
          <ChoiceField
            label="Early stopping of trials"
            className="max-w-md"
            options={rules}
            value={ruleOf(search)}
            onChange={(rule) => edit({ ...file, search: chooseRule(search, rule, iterationsOf(file)) })}
          />
          <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
            {more?.map((field) => (
              <PlanField key={field.path} field={field} describe={describe} />
            ))}
          </div>
        </div>
      </details>
    </>
  );
}
