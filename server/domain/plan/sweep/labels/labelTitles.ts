import { formatSetting } from "#packages/base";
import { BuiltInEnvironment } from "#trainer/spec/environment.ts";
import { environmentTexts } from "#trainer/spec/environmentTexts.ts";
import { environmentFields, hyperparameters } from "../settings/hyperparameters.ts";
import { titleOfSetting } from "./settingTitles.ts";

/** Single-letter setting names in old labels, which recorded studies still contain. */
const formerNames: Readonly<Record<string, string>> = { k: "lag.k" };

let paths: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * Translates the names in a label of `labelAxes` to titles: "learningRate 3e-4, lag.k 16" becomes "learning rate 3e-4,
 * lag 16". If several settings end with a name, the common end of their titles replaces it. If their titles have no
 * common end, or the name is unknown (other trainers' labels), the name remains.
 */
export function titleOfLabel(label: string): string {
  return label
    .split(", ")
    .map((part) => {
      const [name = "", ...value] = part.split(" ");
      return [(value.length === 1 && titleOfName(name)) || name, ...value].join(" ");
    })
    .join(", ");
}

const shortWords: Readonly<Record<string, string>> = {
  "optimizer.learningRate": "lr",
  "optimizer.weightDecay": "weight decay",
  "update.klCoef": "KL",
  "update.entropyCoef": "entropy",
  "update.epochs": "epochs",
  "update.minibatchRows": "minibatch",
  "rollout.numGroups": "groups",
  "rollout.groupSize": "group size",
  "rollout.lag.k": "lag",
  "policy.size": "size",
  "budget.iterations": "iterations",
};

/** Shortens a label: "learningRate 3e-4, klCoef 0.01" becomes "lr 3e-4, KL 0.01". Other settings keep their title. */
export function shortLabel(label: string): string {
  return splitLabel(label)
    .map(({ name, value }) => [name, value].filter(Boolean).join(" "))
    .join(", ");
}

/**
 * Shortens the labels of a sweep's cells so that each begins with what sets it apart, by label: settings that more
 * than half of the cells share come last, where a narrow column cuts.
 */
export function differingFirst(labels: readonly string[]): ReadonlyMap<string, string> {
  const parts = new Map(labels.map((label) => [label, shortLabel(label).split(", ")]));
  const numWith = new Map<string, number>();
  for (const part of labels.flatMap((label) => parts.get(label) ?? [])) numWith.set(part, (numWith.get(part) ?? 0) + 1);
  const isShared = (part: string) => (numWith.get(part) ?? 0) > labels.length / 2;
  return new Map(
    [...parts].map(([label, own]) => [
      label,
      own.toSorted((a, b) => Number(isShared(a)) - Number(isShared(b))).join(", "),
    ]),
  );
}

type Part = { name: string; value: string };

/**
 * Splits a label into settings, in order. A part that is not a setting ("trial 3", an environment) has an empty value.
 * An environment's title and own settings come first, before a dot: "Sokoban numBoxes 2 · klCoef 0".
 */
function splitLabel(label: string): Part[] {
  const [first = "", ...rest] = label.split(" · ");
  const axes = rest.flatMap((section) => splitParts(section, wordFor));
  const id = environmentIds.find((each) => new RegExp(`^${environmentTexts[each].title}( |,|$)`).test(first));
  if (id === undefined) return [...splitParts(first, wordFor), ...axes];
  const { title } = environmentTexts[id];
  const own = splitParts(first.slice(title.length).replace(/^,? /, ""), (name) => knobTitle(id, name) ?? wordFor(name));
  return [{ name: title, value: "" }, ...own, ...axes];
}

function splitParts(text: string, wordOf: (name: string) => string | undefined): Part[] {
  if (text === "") return [];
  return text.split(", ").map((part) => {
    const [name = "", value, ...more] = part.split(" ");
    const known = value === undefined || more.length > 0 ? undefined : wordOf(name);
    if (known === undefined || value === undefined) return { name: titleOfLabel(part), value: "" };
    const number = Number(value);
    return { name: known, value: Number.isFinite(number) ? formatSetting(number) : value };
  });
}

const environmentIds = BuiltInEnvironment.options.map(({ shape }) => shape.id.value);

function knobTitle(id: (typeof environmentIds)[number], name: string): string | undefined {
  const title = environmentFields(id).find(({ path }) => path === `environment.${name}`)?.title;
  return title && startLow(title);
}

/** Returns the rows with short labels for display. Stored tables keep long labels, on which proofs depend. */
export function withShortLabels<Row extends { label: string }>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, label: shortLabel(row.label) }));
}

/** Removes an environment's title from a label where a page already shows it: "Sokoban, boxes 1" becomes "boxes 1". */
export function withoutTitle(label: string, title: string): string {
  if (label === title) return "";
  const [before] = [", ", " of ", " "].filter((joint) => label.startsWith(`${title}${joint}`));
  return before === undefined ? label : label.slice(title.length + before.length);
}

function wordFor(name: string): string | undefined {
  const word = Object.values(shortWords).find((one) => one === name);
  if (word !== undefined) return word;
  const paths = pathsOf(name);
  const [short, ...others] = new Set(paths.flatMap((path) => shortWords[path] ?? []));
  if (short !== undefined && others.length === 0) return short;
  return titleOfName(name) || undefined;
}

function titleOfName(name: string): string {
  const titles = pathsOf(name).map((path) => startLow(titleOfSetting(path).replace(/ \(.*\)$/, "")));
  const [first = [], ...others] = titles.map((title) => title.split(" "));
  const numShared = first.findIndex((_, i) => others.some((words) => words.at(-1 - i) !== first.at(-1 - i)));
  return (numShared < 0 ? first : first.slice(first.length - numShared)).join(" ");
}

function pathsOf(name: string): readonly string[] {
  paths ??= makePaths();
  return paths.get(formerNames[name] ?? name) ?? [];
}

function makePaths(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path } of hyperparameters()) {
    const parts = path.split(".");
    for (const from of parts.keys()) {
      const name = parts.slice(from).join(".");
      const known = found.get(name) ?? [];
      if (!known.includes(path)) found.set(name, [...known, path]);
    }
  }
  return found;
}

/** Lower-cases a title for use within a sentence ("learning rate"), but not "KL to reference". */
function startLow(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
