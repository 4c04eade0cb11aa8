import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { Method } from "#trainer/spec/methodSchema.ts";
import { type InputIssue, hasAt, readAt } from "#packages/base";
import { actingMethod } from "../methods/acting.ts";
import type { Base } from "../settings/base.ts";
import { closeMatches } from "../closeMatches.ts";
import { mergeSettings } from "../merge.ts";
import { taskOf, type MethodValues } from "../settings/plannedEnvironment.ts";
import type { Note, Point } from "./points.ts";
import { explainIssue, formatPath } from "../problems.ts";
import { isMethod } from "../settings/rules.ts";
import type { SweepPlan } from "../schema.ts";

export type Settings = {
  task: EnvironmentSpec;
  base: Base;
  points: readonly Point[];
  /** Returns the path in the plan's environment that sets a field of a cell; undefined if it does not set the field. */
  findField: (path: string, point: Point) => string | undefined;
};

/** Applies the settings that a plan attaches to its environments. Returns the settings by environment, in order. */
export function settleEnvironments(
  plan: SweepPlan,
  points: readonly Point[],
): { settings: Settings[]; issues: InputIssue[]; notes: Note[] } {
  const issues: InputIssue[] = [];
  const notes: Note[] = [];
  const settings = plan.environments.map((environment, i): Settings => {
    const { base = {}, methods: byName = {} } = environment;
    const at = `environments[${i}]`;
    const idle = Object.keys(byName).filter((name) => !points.some(({ label }) => isMethod(name, label)));
    // Attached settings of published methods that the sweep lacks are only noted; other unknown names are errors.
    const [known, unknown] = [idle.filter(isPublished), idle.filter((name) => !isPublished(name))];
    for (const name of known)
      notes.push({ kind: "dropped", text: `${at} sets values for ${name}, which is not a method of this sweep.` });
    issues.push(...unknown.map((name) => refuseUnknown(name, points, at)));
    const valuesOf = ({ label }: Point) => Object.entries(byName).find(([name]) => isMethod(name, label));
    return {
      task: taskOf(environment),
      base: mergeSettings(plan.base, base),
      points: points.map((point) => {
        const found = valuesOf(point);
        return found ? withValues(point, found[1], { at: `${at}.methods.${found[0]}`, issues }) : point;
      }),
      findField: (path, point) => {
        if (path.startsWith("environment.")) return `${at}.${path.slice("environment.".length)}`;
        if (!path.startsWith("method.")) return setsOf(base, path) ? `${at}.base.${path}` : undefined;
        const [name, values] = valuesOf(point) ?? [];
        const inMethod = path.slice("method.".length);
        return name !== undefined && setsOf(values, inMethod) ? `${at}.methods.${name}.${inMethod}` : undefined;
      },
    };
  });
  return { settings, issues, notes };
}

/** Returns true if the settings contain the field, or its parent object as null or with a `kind`. */
function setsOf(settings: unknown, path: string): boolean {
  if (hasAt(settings, path)) return true;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  const whole = parent === "" ? undefined : readAt(settings, parent);
  return whole === null || (typeof whole === "object" && Object.hasOwn(whole, "kind"));
}

function withValues(point: Point, values: MethodValues, { at, issues }: { at: string; issues: InputIssue[] }): Point {
  for (const dimension of ["clipping", "advantage", "sampling"] as const) {
    const kind = values[dimension]?.["kind"];
    const theirs = point.method[dimension].kind;
    if (kind === undefined || kind === theirs) continue;
    const message = `is ${JSON.stringify(kind)}, but ${point.label} has "${theirs}": an environment can change a method's values, not its kind`;
    issues.push({ path: `${at}.${dimension}.kind`, message });
    return point;
  }
  const parsed = Method.safeParse(mergeSettings(point.method, values), { reportInput: true });
  if (parsed.success) return { ...point, method: actingMethod(parsed.data) };
  for (const { path, message } of parsed.error.issues.flatMap(explainIssue)) {
    issues.push({ path: `${at}.${formatPath(path)}`, message });
  }
  return point;
}

function isPublished(name: string): boolean {
  return methodNames.some((known) => known === name || methods[known].title === name);
}

function refuseUnknown(name: string, points: readonly Point[], at: string): InputIssue {
  const labels = points.map(({ label }) => label);
  const close = closeMatches(name, [...labels, ...methodNames]);
  const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : ` (it has ${labels.join(", ")})`;
  return { path: `${at}.methods.${name}`, message: `the sweep has no method "${name}"${hint}` };
}
