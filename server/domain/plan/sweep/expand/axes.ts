import { CellSpec } from "#trainer/spec/run.ts";
import { type InputIssue, hasAt, readAt, setAt, formatHyperparameter } from "#packages/base";
import { actingMethod } from "../methods/acting.ts";
import { closeMatches } from "../closeMatches.ts";
import { hyperparameters, type Hyperparameter } from "../settings/hyperparameters.ts";
import { explainIssue, formatPath } from "../problems.ts";
import type { AxisValue, SweepPlan } from "../schema.ts";

export type AxisChoice = { path: string; value: AxisValue };

export function countCombinations(axes: SweepPlan["axes"]): number {
  return Object.values(axes).reduce((product, values) => product * new Set(values).size, 1);
}

/** Lists the Cartesian product of the values of all axes; the last axis varies fastest. */
export function listCombinations(axes: SweepPlan["axes"]): AxisChoice[][] {
  return Object.entries(axes).reduce<AxisChoice[][]>(
    (rows, [path, values]) => rows.flatMap((row) => [...new Set(values)].map((value) => [...row, { path, value }])),
    [[]],
  );
}

export type VariedCell = { spec: CellSpec; used: AxisChoice[]; issues: InputIssue[] };

/**
 * Sets axes of a cell. `used` excludes an axis whose field the cell does not have, such as a clip range on the soft
 * gate.
 */
export function applyAxes(cell: CellSpec, combination: readonly AxisChoice[]): VariedCell {
  // The kind of a union is set before other fields: fields of the new kind must exist before they are set.
  const [ofKinds = [], others = []] = [true, false].map((isKind) => {
    return combination.filter(({ path }) => path.endsWith(".kind") === isKind);
  });
  const kinds = setAll(cell, ofKinds);
  const rest = kinds.issues.length > 0 ? kinds : setAll(kinds.spec, others);
  const used = new Set([...kinds.used, ...rest.used]);
  return {
    spec: rest.spec.method === cell.method ? rest.spec : { ...rest.spec, method: actingMethod(rest.spec.method) },
    used: combination.filter((choice) => used.has(choice)),
    issues: rest.issues,
  };
}

function setAll(cell: CellSpec, choices: readonly AxisChoice[]): VariedCell {
  const used = choices.filter(({ path }) => hasAt(cell, path) || findRoom(cell, path) !== undefined);
  if (used.length === 0) return { spec: cell, used, issues: [] };
  const varied = used.reduce<Tree>((spec, { path, value }) => setAt(findRoom(spec, path) ?? spec, path, value), cell);
  // Unchanged sections of the cell are not validated, and stay the same objects.
  const parts: Record<string, unknown> = {};
  const issues: InputIssue[] = [];
  for (const name of partNames.filter((part) => used.some(({ path }) => path.startsWith(`${part}.`)))) {
    const parsed = CellSpec.shape[name].safeParse(varied[name], { reportInput: true });
    parts[name] = parsed.data;
    const problems = parsed.error?.issues.flatMap((issue) => explainIssue({ ...issue, path: [name, ...issue.path] }));
    for (const { path, message } of problems ?? []) {
      issues.push({ path: toAxisPath(formatPath(path), used), message });
    }
  }
  return issues.length > 0 ? { spec: cell, used, issues } : { spec: { ...cell, ...parts }, used, issues };
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * Adds the parent object, with a kind that has the setting, if absent. Undefined if the cell cannot have the setting.
 */
function findRoom(cell: Tree, path: string): Tree | undefined {
  const field = optionalFields().get(path);
  if (!field) return undefined;
  const { when } = field;
  if (!when) return cell;
  const kind = readAt(cell, when.path);
  if (kind === undefined) return setAt(cell, when.path, when.values[0]);
  return when.values.some((one) => one === kind) ? cell : undefined;
}

let optional: ReadonlyMap<string, Hyperparameter> | undefined;

function optionalFields(): ReadonlyMap<string, Hyperparameter> {
  optional ??= new Map(hyperparameters().flatMap((one) => (one.isOptional ? [[one.path, one] as const] : [])));
  return optional;
}

const partNames = CellSpec.keyof().options;

export function checkAxes(axes: SweepPlan["axes"], usedPaths: ReadonlySet<string>): InputIssue[] {
  const known = hyperparameters().map(({ path }) => path);
  return Object.keys(axes)
    .filter((path) => !usedPaths.has(path))
    .map((path) => {
      if (known.includes(path)) {
        return { path: `axes.${path}`, message: "applies to none of this sweep's methods and environments" };
      }
      const close = closeMatches(path, known);
      const sameField = known.filter((candidate) => candidate.split(".").at(-1) === path.split(".").at(-1));
      const guesses = close.length > 0 ? close : sameField.slice(0, 3);
      const hint = guesses.length > 0 ? `; did you mean ${guesses.map((guess) => `"${guess}"`).join(" or ")}?` : "";
      return { path: `axes.${path}`, message: `"${path}" is no hyperparameter${hint}` };
    });
}

/** Labels a cell by the axes with more than one value, for example "learningRate 3e-4, dual off". */
export function labelAxes(used: readonly AxisChoice[], axes: SweepPlan["axes"]): string {
  const paths = Object.keys(axes);
  return used
    .filter(({ path }) => new Set(axes[path]).size > 1)
    .map(({ path, value }) => `${shortName(path, paths)} ${formatValue(value)}`)
    .join(", ");
}

function formatValue(value: AxisValue): string {
  if (value === null) return "off";
  // Twelve digits distinguish any two values without rounding noise (3.0000000000000003e-4).
  return typeof value === "number" ? formatHyperparameter(Number(value.toPrecision(12))) : String(value);
}

/** Shortens a dotted path to its last part, or more until it is a word and unique: "lag.k" rather than "k". */
export function shortName(path: string, paths: readonly string[]): string {
  const parts = path.split(".");
  for (let n = 1; n < parts.length; n++) {
    const name = parts.slice(-n).join(".");
    if (name.length > 1 && paths.every((other) => other === path || !other.endsWith(`.${name}`))) return name;
  }
  return path;
}

/** Finds the axis that caused a validation error; for an error in a whole union, it is the axis of the union's kind. */
function toAxisPath(problem: string, used: readonly AxisChoice[]): string {
  const axis = used.find(({ path }) => problem === path) ?? used.find(({ path }) => problem.startsWith(parentOf(path)));
  return `axes.${axis?.path ?? problem}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("."));
}
