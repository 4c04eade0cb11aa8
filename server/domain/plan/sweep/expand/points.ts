import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodOf, methods, methodNames, withPenalties, type Method } from "#trainer/spec/method.ts";
import type { InputIssue } from "#packages/base";
import { actingMethod } from "../methods/acting.ts";
import { couplings } from "../methods/couplings.ts";
import { distinguish, nameMethod } from "../labels/labels.ts";
import { resolveMethod } from "../methods/methodChoice.ts";
import type { Grid, SweepPlan } from "../schema.ts";

/** A method of a sweep with its name in legends, and the path in the plan that defines it. */
export type Point = { label: string; method: Method; path: string };

export type Note = { kind: "merged" | "dropped" | "coupled" | "untaught" | "search" | "defaults"; text: string };

/** Lists the methods of a plan: first the named methods, then the grid's. Equivalent methods are merged and noted. */
export function listPoints(plan: SweepPlan): { points: Point[]; notes: Note[]; issues: InputIssue[] } {
  const listed = plan.methods.map((choice, i) => ({ ...resolveMethod(choice), path: `methods[${i}]` }));
  const asked = [...listed, ...(plan.grid ? listGrid(plan.grid) : [])];
  const notes: Note[] = [];
  const byMethod = new Map<string, Point>();
  for (const point of asked) {
    const acting = { ...point, method: actingMethod(point.method) };
    if (canonicalJson(acting.method) !== canonicalJson(point.method)) notes.push(...noteCouplings(point));
    const key = canonicalJson(acting.method);
    const known = byMethod.get(key);
    if (known) notes.push(noteSame(known, point));
    else byMethod.set(key, acting);
  }
  const points = [...byMethod.values()];
  const labels = distinguish(points);
  return {
    points: points.map((point, i) => ({ ...point, label: labels[i] ?? point.label })),
    notes: [...new Map(notes.map((note) => [note.text, note])).values()],
    issues: points.flatMap(checkPoint),
  };
}

export function countPoints({ methods, grid }: SweepPlan): number {
  if (!grid) return methods.length;
  const levels = [grid.aggregation, grid.clipping, grid.advantage, grid.sampling, grid.correction];
  return methods.length + levels.reduce((product, level) => product * (level?.length ?? 1), 1);
}

function listGrid(grid: Grid): Point[] {
  const base = methodOf("grpo");
  const { aggregation = [base.aggregation], clipping = [base.clipping] } = grid;
  const { advantage = [base.advantage], sampling = [base.sampling], correction = [null] } = grid;
  return aggregation.flatMap((aggregation) =>
    clipping.flatMap((clipping) =>
      advantage.flatMap((advantage) =>
        sampling.flatMap((sampling) =>
          correction.map((correction): Point => {
            const choices = { aggregation, clipping, advantage, sampling, ...(correction && { correction }) };
            const method = withPenalties(choices);
            return { label: nameMethod(actingMethod(method)), method, path: "grid" };
          }),
        ),
      ),
    ),
  );
}

function checkPoint({ label, method, path }: Point): InputIssue[] {
  const owner = methodNames.find((name) => methods[name].title === label);
  if (!owner || canonicalJson(methodOf(owner)) === canonicalJson(method)) return [];
  const message = `the name "${label}" belongs to a published method with other settings: choose another name`;
  return [{ path, message }];
}

/** Makes notes on values of a method that have no effect because another of its settings overrides them. */
function noteCouplings({ label, method, path }: Point): Note[] {
  const acting = new Set(couplings(actingMethod(method)).map(({ text }) => text));
  const overridden = couplings(method).filter(({ severity, text }) => severity === "fixed" && !acting.has(text));
  return overridden.map(({ text }) => ({ kind: "coupled", text: path === "grid" ? text : `${label}: ${text}` }));
}

function noteSame(known: Point, point: Point): Note {
  const isOfGrid = point.path === "grid";
  const which = isOfGrid ? "Several combinations of the grid are" : `${point.label} is`;
  const text = `${which} identical to ${known.label}, which runs only once.`;
  return { kind: isOfGrid ? "merged" : "dropped", text };
}
