import { contentHash } from "#trainer/spec/canonical.ts";
import { conflictsOf, type Conflict } from "#trainer/spec/conflicts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#server/domain/errors.ts";
import type { Translate } from "#server/domain/external/templates/translate.ts";
import type { AxisChoice } from "./axes.ts";
import { differencesOf } from "./differences.ts";
import { hasAt, readAt } from "./path.ts";
import type { Point } from "./points.ts";
import type { SweepPlan } from "./schema.ts";
import type { Settings } from "./settings.ts";

type Varied = Pick<Settings, "findField" | "base"> & { point: Point; spec: CellSpec; used: readonly AxisChoice[] };

/** Combinations a trainer refuses, gathered over a plan's cells: each once, at the field that asks for it. */
export type ConflictList = {
  check(cell: Varied): void;
  /** GPUs of one machine that a run takes, the largest number of all trainers; undefined where none is named. */
  gpus(): number | undefined;
  issues(): InputIssue[];
};

/** Methods named in one issue; a grid may have hundreds with the same conflict. */
const mostNamed = 3;

/** What a cell asks for that cannot be had, as far as the machine that launches it can tell. */
export type CheckCell = (cell: CellSpec) => readonly Conflict[];

/** @param translate what other trainers make of cells, for those that name one */
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
      ...[...methodsOf.values()].map(({ path, message, methods }) => ({
        path,
        message: `${message} (${listMethods(methods)})`,
      })),
      ...placementConflicts(placement?.slots ?? 1, gpus),
    ],
  };
}

/** Slots that a plan names beside the GPUs of its trainer: one of the two numbers would not hold. */
function placementConflicts(slots: number, gpus: ReadonlyMap<string, number>): InputIssue[] {
  if (slots === 1) return [];
  return [...gpus].flatMap(([name, count]) => {
    const message = `is ${slots}, and the trainer "${name}" takes gpus: ${count}. Leave slots out: ${count === 1 ? "one GPU is" : `${count} GPUs are`} reserved by themselves`;
    return slots === count ? [] : [{ path: "placement.slots", message }];
  });
}

type Known = { cells: Map<string, CellSpec>; searched: readonly string[]; gpus: Map<string, number> };

/** Refusals of the cell's trainer; settings it must be told; or another cell with the same command. */
function translationConflicts(varied: Varied, translate: Translate, { cells, searched, gpus }: Known): Conflict[] {
  const { spec, base, used } = varied;
  const translation = translate(spec);
  if (translation.problems) return [...translation.problems];
  const { argv, environment, folder, scaled } = translation;
  if (translation.gpus !== undefined) gpus.set(spec.trainer?.name ?? "", translation.gpus);
  const chosen = [...used.map(({ path }) => path), ...searched];
  const unset = scaled.filter((path) => !hasAt(base, path) && !chosen.includes(path));
  const asked = unset.map((path) => {
    const message = `say a value: ${JSON.stringify(readAt(spec, path))}, the studio's default, is for its small models, not for "${spec.trainer?.name}"`;
    return { path, message };
  });
  const command = contentHash({ argv, environment, folder });
  const twin = cells.get(command);
  cells.set(command, spec);
  const differences = twin && differencesOf(twin, spec);
  if (!differences) return asked;
  const message = `two cells get one command from the trainer "${spec.trainer?.name}": it does not carry ${differences}`;
  return [...asked, { path: "trainer", message }];
}

/** An axis that sets the field, else its environment, else the method that brought it, else the base. */
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
  const named = [...methods].slice(0, mostNamed).join(", ");
  return methods.size > mostNamed ? `${named} and ${methods.size - mostNamed} more` : named;
}
