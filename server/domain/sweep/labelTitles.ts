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

/** The same rows, with their labels as pages show them; the names of stored tables stay, as proofs rest on them. */
export function withTitles<Row extends { label: string }>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, label: titleOfLabel(row.label) }));
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
