import { canonicalJson } from "#trainer/spec/canonical.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import type { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { firstKl } from "#server/domain/plan/rescue/rescueRule.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import { formatSetting } from "#packages/base";

/** "Arm" of unchanged branches, with which all changes are compared. */
export const nothing = "nothing";

/** Settings that may differ from the origin without counting as a change. */
const untreated = /^(initialisation|evaluation|execution|budget|trainer)\b/;

/**
 * Names a change: a dimension of the method, or a setting relative to its original value ("Learning rate ÷ 5"). Equal
 * changes to different runs have the same name.
 */
export function nameArm(
  spec: CellSpec,
  { method, origin, originMethod }: { method: string; origin: RunSpec; originMethod?: string | undefined },
): string {
  if (canonicalJson(spec.method) !== canonicalJson(origin.method)) {
    const before = `${originMethod}, `;
    return method.startsWith(before) ? method.slice(before.length) : method;
  }
  const flat = (cell: CellSpec) => leavesOf(cell).map(([path, value]) => [path.join("."), value] as const);
  const before = new Map<string, unknown>(flat(origin));
  const changes = flat(spec).filter(([path, value]) => !untreated.test(path) && before.get(path) !== value);
  if (changes.length === 0) return nothing;
  return changes.map(([path, value]) => nameChange(path, value, before.get(path))).join(", ");
}

function nameChange(path: string, value: unknown, before: unknown): string {
  if (isKlArm(path, value, before)) return klArm;
  // A lag has one of two settings, depending on its kind.
  if (path.startsWith("rollout.lag.") && value === 0) return "fresh sampler";
  if (path === "rollout.samplerPrecision" && value === "float32") return "float sampler";
  return `${titleOfSetting(path)} ${describeChange(value, before)}`;
}

const klArm = `KL coefficient × 5 (${firstKl} if it was 0)`;

/** True for the change that multiplies the KL coefficient by 5, or sets a fixed value where it is 0. */
function isKlArm(path: string, value: unknown, before: unknown): boolean {
  return (
    path === "update.klCoef" && (before === 0 ? value === firstKl : Math.abs(Number(value) / Number(before) - 5) < 0.01)
  );
}

function describeChange(value: unknown, before: unknown): string {
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  if (typeof before !== "number" || before <= 0 || value <= 0) return formatSetting(value);
  const ratio = value / before;
  return ratio >= 1 ? `× ${Number(ratio.toPrecision(3))}` : `÷ ${Number((1 / ratio).toPrecision(3))}`;
}
