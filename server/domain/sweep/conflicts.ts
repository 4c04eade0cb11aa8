import { conflictsOf } from "#trainer/spec/conflicts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#server/domain/errors.ts";
import type { AxisChoice } from "./axes.ts";
import type { Point } from "./points.ts";

type Varied = { point: Point; spec: CellSpec; used: readonly AxisChoice[] };

/** Combinations a trainer refuses, gathered over a plan's cells: each once, at the field that asks for it. */
export type ConflictList = {
  check(cell: Varied): void;
  issues(): InputIssue[];
};

/** Methods named in one issue; a grid may have hundreds with the same conflict. */
const mostNamed = 3;

export function listConflicts(): ConflictList {
  const methodsOf = new Map<string, { path: string; message: string; methods: Set<string> }>();
  return {
    check({ point, spec, used }) {
      for (const { path, message } of conflictsOf(spec)) {
        const place = findPlace(path, point, used);
        const key = `${place} ${message}`;
        const known = methodsOf.get(key) ?? { path: place, message, methods: new Set() };
        known.methods.add(point.label);
        methodsOf.set(key, known);
      }
    },
    issues: () =>
      [...methodsOf.values()].map(({ path, message, methods }) => ({
        path,
        message: `${message} (${sayMethods(methods)})`,
      })),
  };
}

/** An axis that sets the field, else the method that brought it, else the base. */
function findPlace(path: string, point: Point, used: readonly AxisChoice[]): string {
  const axis = used.find((choice) => choice.path === path || choice.path.startsWith(`${path}.`));
  if (axis) return `axes.${axis.path}`;
  const kind = used.find(
    (choice) => choice.path.endsWith(".kind") && path.startsWith(choice.path.slice(0, -"kind".length)),
  );
  if (kind) return `axes.${kind.path}`;
  if (!path.startsWith("method.")) return `base.${path}`;
  return point.path === "grid" ? `grid.${path.slice("method.".length)}` : point.path;
}

function sayMethods(methods: ReadonlySet<string>): string {
  const named = [...methods].slice(0, mostNamed).join(", ");
  return methods.size > mostNamed ? `${named} and ${methods.size - mostNamed} more` : named;
}
