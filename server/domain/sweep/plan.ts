import { isNode, LineCounter, parseDocument, stringify, type Document } from "yaml";
import { AppError, badInput, type InputIssue } from "../errors.ts";
import { expandPlan } from "./expand.ts";
import { explainIssue } from "./problems.ts";
import { formatPath } from "./problems.ts";
import { SweepPlan } from "./schema.ts";

export { SweepPlan } from "./schema.ts";

/** Reads a sweep file and checks that it expands. Throws `bad_input`; each issue names path, value, limit and line. */
export function parsePlan(yamlText: string): SweepPlan {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw badInput(
      document.errors.map(({ message, pos }) => ({ path: "", message, line: lines.linePos(pos[0]).line })),
    );
  }
  const lineOf = (path: readonly PropertyKey[]) => findLine(document, lines, path);
  // maxAliasCount guards against documents that unfold without end.
  const parsed = SweepPlan.safeParse(document.toJS({ maxAliasCount: 100 }), { reportInput: true });
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap(explainIssue);
    throw badInput(problems.map(({ path, message }) => withLine({ path: formatPath(path), message }, lineOf(path))));
  }
  try {
    expandPlan(parsed.data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw badInput(error.issues.map((issue) => withLine(issue, lineOf(splitIssuePath(issue.path)))));
  }
  return parsed.data;
}

/** The same plan as YAML: `parsePlan(toYaml(plan))` equals `plan`. Empty parts are left out. */
export function toYaml(plan: SweepPlan): string {
  const { v, name, description, methods, grid, environments, base, axes, seeds } = plan;
  const entries = Object.entries({ v, name, description, methods, grid, environments, base, axes, seeds });
  return stringify(Object.fromEntries(entries.filter(([, value]) => !isEmpty(value))), { lineWidth: 100 });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function withLine(issue: InputIssue, line: number | undefined): InputIssue {
  return line === undefined ? issue : { ...issue, line };
}

/** The line of the nearest node on the way to a path: a missing key is reported where it would stand. */
function findLine(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  for (let depth = path.length; depth > 0; depth--) {
    const node: unknown = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

/** "axes.optimizer.learningRate": an axis is one key with dots; other paths are keys and indices. */
function splitIssuePath(path: string): PropertyKey[] {
  if (path.startsWith("axes.")) return ["axes", path.slice("axes.".length).split(":")[0] ?? ""];
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
