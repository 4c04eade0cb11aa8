import { Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { badInput } from "#packages/base";
import { checkPlan, tidyPlan, type LineOf } from "./checkPlan.ts";
import { fromWandbSweep, isWandbSweep } from "./wandbSweep.ts";
import type { SweepPlan } from "./schema.ts";

export { checkPlan } from "./checkPlan.ts";
export { SweepPlan } from "./schema.ts";

/** Parses a sweep file and checks that it expands to valid runs. Throws `bad_input`, with path and line. */
export function parsePlan(yamlText: string): SweepPlan {
  const { value, lineOf } = readFile(yamlText);
  return checkPlan(value, lineOf);
}

/** Reads a sweep file without checking it. A file of W&B is translated, and its lines are not known. */
export function readFile(yamlText: string): { value: unknown; lineOf: LineOf } {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw badInput(
      document.errors.map(({ message, pos }) => ({ path: "", message, line: lines.linePos(pos[0]).line })),
    );
  }
  const value = readValue(document);
  if (isWandbSweep(value)) return { value: fromWandbSweep(value), lineOf: () => undefined };
  return { value, lineOf: (path) => findLine(document, lines, path) };
}

function readValue(document: Document): unknown {
  try {
    // maxAliasCount rejects documents that would expand without bound through aliases.
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // The library throws for an alias without an anchor, and for too many aliases.
    if (error instanceof ReferenceError) throw badInput([{ path: "", message: error.message }]);
    throw error;
  }
}

/** Formats a plan, also an incomplete one, as YAML such that `parsePlan(toYaml(plan))` equals `plan`. */
export function toYaml(plan: Partial<Record<keyof SweepPlan, unknown>>): string {
  const document = new Document(tidyPlan(plan));
  visit(document, {
    Seq: (_, node) => {
      node.flow = node.items.every((item) => isScalar(item));
    },
  });
  return document.toString({ lineWidth: 100, flowCollectionPadding: false });
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
