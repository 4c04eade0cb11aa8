import { formatSetting } from "#server/domain/words.ts";
import { hyperparameters } from "./hyperparameters.ts";
import { titleOfSetting } from "./settingTitles.ts";

/** Last parts of a single letter, which labels had before they took two parts then; recorded studies keep them. */
const formerNames: Readonly<Record<string, string>> = { k: "lag.k" };

let paths: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * A configuration's label as `labelAxes` writes it ("learningRate 3e-4, lag.k 16") in the settings' titles: "learning rate 3e-4,
 * lag 16". Of a name that several settings end with, what their titles end with; where that is nothing, and of what is
 * no setting's name, as other trainers' labels are, the name itself.
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

/** Short names that the field uses for settings, by path. */
const shortWords: Readonly<Record<string, string>> = {
  "optimizer.learningRate": "lr",
  "optimizer.weightDecay": "weight decay",
  "update.klCoef": "KL",
  "update.entropyCoef": "entropy",
  "update.epochs": "epochs",
  "update.minibatchRows": "mini-batch",
  "rollout.numGroups": "groups",
  "rollout.groupSize": "group size",
  "rollout.lag.k": "lag",
  "policy.size": "size",
  "budget.iterations": "iterations",
};

/**
 * A configuration's label as names of runs have it: "learningRate 3e-4, klCoef 0.01" becomes "lr 3e-4, KL 0.01". A setting
 * without a word of the field's own keeps its title.
 */
export function shortLabel(label: string): string {
  return splitLabel(label)
    .map(({ name, value }) => [name, value].filter(Boolean).join(" "))
    .join(", ");
}

/** The settings that a label names, in its order; a part that is no setting, as "trial 3" or an environment, has no value. */
function splitLabel(label: string): { name: string; value: string }[] {
  if (label === "") return [];
  return label.split(", ").map((part) => {
    const [name = "", value, ...more] = part.split(" ");
    const known = value === undefined || more.length > 0 ? undefined : wordFor(name);
    if (known === undefined || value === undefined) return { name: titleOfLabel(part), value: "" };
    const number = Number(value);
    return { name: known, value: Number.isFinite(number) ? formatSetting(number) : value };
  });
}

/** The same rows, with their labels as pages show them; the names of stored tables stay, as proofs rest on them. */
export function withShortLabels<Row extends { label: string }>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, label: shortLabel(row.label) }));
}

/** Undefined for what is no setting's name. */
function wordFor(name: string): string | undefined {
  const word = Object.values(shortWords).find((one) => one === name);
  if (word !== undefined) return word;
  const paths = pathsOf(name);
  const [short, ...others] = new Set(paths.flatMap((path) => shortWords[path] ?? []));
  if (short !== undefined && others.length === 0) return short;
  return titleOfName(name) || undefined;
}

/** Empty where no setting has the name, or those that have it have no word in common. */
function titleOfName(name: string): string {
  const titles = pathsOf(name).map((path) => startLow(titleOfSetting(path).replace(/ \(.*\)$/, "")));
  const [first = [], ...others] = titles.map((title) => title.split(" "));
  const numShared = first.findIndex((_, i) => others.some((words) => words.at(-1 - i) !== first.at(-1 - i)));
  return (numShared < 0 ? first : first.slice(first.length - numShared)).join(" ");
}

/** Settings whose path is the name, or ends with it. */
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

/** "Learning rate" within a sentence; "KL to reference" stays. */
function startLow(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
