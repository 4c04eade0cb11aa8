import { contentHash } from "#trainer/spec/canonical.ts";
import { conflictsOf, type Conflict } from "#trainer/spec/conflicts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { type InputIssue, hasAt, readAt } from "#packages/base";
import type { Translate } from "../translate.ts";
import type { AxisChoice } from "./axes.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import type { Point } from "./points.ts";
import type { SweepPlan } from "../schema.ts";
import type { Settings } from "./settings.ts";

type Varied = Pick<Settings, "findField" | "base"> & { point: Point; spec: CellSpec; used: readonly AxisChoice[] };

/** Collects conflicts between a plan's cells and their trainers, each once, at the plan's field that causes it. */
export type ConflictList = {
  check(cell: Varied): void;
  /** GPUs of one machine that a run uses: the maximum over all trainers; undefined if no trainer states a number. */
  gpus(): number | undefined;
  issues(): InputIssue[];
};

/** Maximum number of methods named in one message; a grid may have hundreds with the same conflict. */
const maxNamed = 3;

/** Returns the conflicts of a cell that only the machine that launches it can detect. */
export type CheckCell = (cell: CellSpec) => readonly Conflict[];

/**
 * Collects conflicts of cells. `translate` converts cells to settings of an external trainer, if the plan names one.
 */
export function listConflicts(
  { search, placement }: Pick<SweepPlan, "search" | "placement">,
  translate?: Translate,
  checkCell: CheckCell = () => [],
): ConflictList {
  const searched = Object.keys(search?.space ?? {});
  const methodsOf = new Map<string, { path: string; message: string; methods: Set<string> }>();
  const cells = new Map<string, CellSpec>();
  const gpus = new Map<string, number>();
  return {
    check(cell) {
      const { point, spec } = cell;
      const known = { cells, searched, gpus };
      const translated = spec.trainer && translate ? translationConflicts(cell, translate, known) : [];
      for (const { path, message } of [...conflictsOf(spec), ...translated, ...checkCell(spec)]) {
        const field = findField(path, cell);
        const key = `${field} ${message}`;
        const known = methodsOf.get(key) ?? { path: field, message, methods: new Set() };
        known.methods.add(point.label);
        methodsOf.set(key, known);
      }
    },
    gpus: () => (gpus.size === 0 ? undefined : Math.max(...gpus.values())),
    issues: () => [
      ...Array.from(methodsOf.values(), ({ path, message, methods }) => {
        return { path, message: `${message} (${listMethods(methods)})` };
      }),
      ...placementConflicts(placement?.slots ?? 1, gpus),
    ],
  };
}

function placementConflicts(slots: number, gpus: ReadonlyMap<string, number>): InputIssue[] {
  if (slots === 1) return [];
  return [...gpus].flatMap(([name, count]) => {
    const message = `is ${slots}, but the trainer "${name}" takes gpus: ${count}. Remove slots: ${count === 1 ? "one GPU is" : `${count} GPUs are`} reserved automatically`;
    return slots === count ? [] : [{ path: "placement.slots", message }];
  });
}

type Known = { cells: Map<string, CellSpec>; searched: readonly string[]; gpus: Map<string, number> };

/** Finds settings that the trainer rejects, unset settings that it needs, and cells with equal commands. */
function translationConflicts(varied: Varied, translate: Translate, { cells, searched, gpus }: Known): Conflict[] {
  const { spec, base, used } = varied;
  const translation = translate(spec);
  if (translation.problems) return [...translation.problems];
  const { argv, environment, folder, scaled } = translation;
  if (translation.gpus !== undefined) gpus.set(spec.trainer?.name ?? "", translation.gpus);
  const chosen = [...used.map(({ path }) => path), ...searched];
  const unset = scaled.filter((path) => !hasAt(base, path) && !chosen.includes(path));
  const asked = unset.map((path) => {
    const message = `needs a value: the studio's default ${JSON.stringify(readAt(spec, path))} is for its small models, not for "${spec.trainer?.name}"`;
    return { path, message };
  });
  const command = contentHash({ argv, environment, folder });
  const twin = cells.get(command);
  cells.set(command, spec);
  const differences = twin && differencesOf(twin, spec);
  if (!differences) return asked;
  const message = `two cells give the same command of the trainer "${spec.trainer?.name}", which has no setting for ${differences}`;
  return [...asked, { path: "trainer", message }];
}

/** Finds the path in the plan that sets a cell's field: an axis, the environment, the method or the base settings. */
function findField(path: string, { point, used, findField: findInEnvironment }: Varied): string {
  const axis = used.find((choice) => choice.path === path || choice.path.startsWith(`${path}.`));
  if (axis) return `axes.${axis.path}`;
  const kind = used.find(
    (choice) => choice.path.endsWith(".kind") && path.startsWith(choice.path.slice(0, -"kind".length)),
  );
  if (kind) return `axes.${kind.path}`;
  const inEnvironment = findInEnvironment(path, point);
  if (inEnvironment !== undefined) return inEnvironment;
  if (!path.startsWith("method.")) return `base.${path}`;
  return point.path === "grid" ? `grid.${path.slice("method.".length)}` : point.path;
}

function listMethods(methods: ReadonlySet<string>): string {
  const named = [...methods].slice(0, maxNamed).join(", ");
  return methods.size > maxNamed ? `${named} and ${methods.size - maxNamed} more` : named;
}

/** Lists the settings in which two cells differ, at most three: "update.epochs (1 and 2)". */
export function differencesOf(a: CellSpec, b: CellSpec): string {
  const [ours, theirs] = [textsOf(a), textsOf(b)];
  // A setting that only one of the cells has (such as a sampler's lag) also counts as a difference.
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => ours.get(name) !== theirs.get(name))
    .map((name) => `${name} (${ours.get(name) ?? "none"} and ${theirs.get(name) ?? "none"})`);
  return differing.length > 3 ? `${differing.slice(0, 3).join(", ")}, …` : differing.join(", ");
}

function textsOf(cell: CellSpec): ReadonlyMap<string, string> {
  return new Map(leavesOf(cell).map(([path, value]) => [path.join("."), JSON.stringify(value)]));
}
