import { leavesOf } from "#trainer/spec/leaves.ts";
import { isMethodName, methodOf, type MethodName } from "#trainer/spec/method.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { pointOfLevels, type LevelChoice } from "#server/domain/trainers/import/pointOfLevels.ts";
import type { Statement } from "#server/domain/plan/sweep/stored/statement.ts";

export type StateDraft = {
  /** Name of the published method. Empty: unknown. "levels": each of the four dimensions is chosen individually. */
  method: MethodName | "levels" | "";
  levels: LevelChoice;
  environment: string;
  /** Settings as text: "optimizer.learningRate=1e-6, update.klCoef=0". */
  settings: string;
};

export const noStatement: StateDraft = {
  method: "",
  levels: factorLevels(methodOf("grpo")),
  environment: "",
  settings: "",
};

export function toDraft({ method, environment = "", settings }: Statement): StateDraft {
  const point = typeof method === "string" ? methodOf(method) : method;
  return {
    method: typeof method === "string" ? method : method === undefined ? "" : "levels",
    levels: point ? factorLevels(point) : noStatement.levels,
    environment,
    settings: leavesOf(settings ?? {})
      .filter(([path]) => path.length > 0)
      .map(([path, value]) => `${path.join(".")}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(", "),
  };
}

export function isMethodChoice(text: string): text is StateDraft["method"] {
  return text === "" || text === "levels" || isMethodName(text);
}

/** Parses the form: the user's entries, not yet validated (undefined for an empty form), or the error message. */
export function readDraft({ method, levels, environment, settings }: StateDraft): {
  statement: Record<string, unknown> | undefined;
  problem?: string;
} {
  const statement: Record<string, unknown> = {};
  if (method !== "") statement["method"] = method === "levels" ? pointOfLevels(levels) : method;
  if (environment.trim() !== "") statement["environment"] = environment.trim();
  const tree: Record<string, Record<string, unknown>> = {};
  for (const part of settings
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)) {
    const [, section = "", field = "", value = ""] = /^(\w+)\.(\w+)\s*=\s*(.+)$/.exec(part) ?? [];
    if (section === "")
      return {
        statement: undefined,
        problem: `${part}: section.name=value is needed, such as optimizer.learningRate=1e-6`,
      };
    const number = Number(value);
    const read = Number.isFinite(number) ? number : { true: true, false: false, null: null, off: null }[value];
    tree[section] = { ...tree[section], [field]: read === undefined ? value : read };
  }
  if (Object.keys(tree).length > 0) statement["settings"] = tree;
  return { statement: Object.keys(statement).length > 0 ? statement : undefined };
}
