import { Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { AppError, badInput, type InputIssue } from "#packages/base";
import { expandPlan } from "./expand.ts";
import { explainIssue, formatPath } from "./problems.ts";
import { fromWandbSweep, isWandbSweep } from "./wandbSweep.ts";
import { SweepPlan } from "./schema.ts";

export { SweepPlan } from "./schema.ts";

type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/** Parses a sweep file and checks that it expands to valid runs. Throws `bad_input`, with path and line. */
export function parsePlan(yamlText: string): SweepPlan {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw badInput(
      document.errors.map(({ message, pos }) => ({ path: "", message, line: lines.linePos(pos[0]).line })),
    );
  }
  // maxAliasCount rejects documents that would expand without bound through aliases.
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  // The plan converted from a W&B file has other line numbers than the file, so issues contain no lines.
  if (isWandbSweep(value)) return checkPlan(fromWandbSweep(value));
  return checkPlan(value, (path) => findLine(document, lines, path));
}

export function checkPlan(value: unknown, lineOf: LineOf = () => undefined): SweepPlan {
  const parsed = SweepPlan.safeParse(value, { reportInput: true });
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

/** Formats a plan, also an incomplete one, as YAML such that `parsePlan(toYaml(plan))` equals `plan`. */
export function toYaml(plan: Partial<Record<keyof SweepPlan, unknown>>): string {
  const entries = SweepPlan.keyof().options.map((key) => [key, plan[key]] as const);
  const document = new Document(Object.fromEntries(entries.filter(([, value]) => !isEmpty(value))));
  visit(document, {
    Seq: (_, node) => {
      node.flow = node.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 100, flowCollectionPadding: false });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function withLine(issue: InputIssue, line: number | undefined): InputIssue {
  return line === undefined ? issue : { ...issue, line };
}

/** Finds the line of the deepest node that exists on a path: a missing key is reported at its parent. */
function findLine(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  for (let depth = path.length; depth > 0; depth--) {
    const parent: unknown = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const key = path[depth - 1];
    // The line of the key is used, since the key's value may start on the next line.
    const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
    const node: unknown = pair ? pair.key : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
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
