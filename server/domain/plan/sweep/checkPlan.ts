import { AppError, badInput } from "#packages/base";
import { expandPlan, type Expansion } from "./expand/expand.ts";
import { expandListed } from "./listed.ts";
import { explainIssue, formatPath, type Problem } from "./problems.ts";
import { SweepPlan } from "./schema.ts";

export type LineOf = (path: readonly PropertyKey[]) => number | undefined;

export type Examined =
  | { valid: { plan: SweepPlan; expansion: Expansion }; problems: readonly [] }
  | { valid: undefined; problems: readonly Problem[] };

/** Checks a sweep file's contents and expands them; problems have the paths of the file. */
export function examinePlan(file: unknown): Examined {
  const { plan, sourceOf, problems } = expandListed(file);
  const refuse = (all: readonly Problem[]): Examined => {
    const located = all.map(({ path, message }) => ({ path: sourceOf(path), message }));
    // Items made from one item of the file have the same problems.
    const unique = new Map(located.map((one) => [`${formatPath(one.path)} ${one.message}`, one]));
    return { valid: undefined, problems: [...unique.values()] };
  };
  if (problems.length > 0) return { valid: undefined, problems };
  const parsed = SweepPlan.safeParse(plan, { reportInput: true });
  if (!parsed.success) return refuse(parsed.error.issues.flatMap(explainIssue));
  try {
    return { valid: { plan: parsed.data, expansion: expandPlan(parsed.data) }, problems: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refuse(error.issues.map(({ path, message }) => ({ path: splitIssuePath(path), message })));
  }
}

/** Returns a valid plan; throws `bad_input` with every problem's path and, if known, line. */
export function checkPlan(value: unknown, lineOf: LineOf = () => undefined): SweepPlan {
  const { valid, problems } = examinePlan(value);
  if (valid) return valid.plan;
  throw badInput(
    problems.map(({ path, message }) => {
      const line = lineOf(path);
      return { path: formatPath(path), message, ...(line !== undefined && { line }) };
    }),
  );
}

/** Returns the properties of a sweep file in their usual order, without empty ones. */
export function tidyPlan(plan: Partial<Record<keyof SweepPlan, unknown>>): Record<string, unknown> {
  const entries = SweepPlan.keyof().options.map((key) => [key, plan[key]] as const);
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The name of an axis or parameter is a single key that contains dots; other paths are split into keys and indices. */
function splitIssuePath(path: string): PropertyKey[] {
  if (path.startsWith("axes.")) return ["axes", path.slice("axes.".length).split(":")[0] ?? ""];
  if (path.startsWith("search.space.")) return ["search", "space", path.slice("search.space.".length)];
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
