import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, visit } from "yaml";
import { AppError, type InputIssue, isTree, type Tree } from "#packages/base";
import type { LineOf } from "../checkPlan.ts";
import { readFile, toYaml } from "../plan.ts";

type Path = readonly (string | number)[];

type ReadText =
  | { file: Tree; lineOf: LineOf; issues: [] }
  | { file: undefined; lineOf: LineOf; issues: readonly InputIssue[] };

/** Reads the text of a sweep file without checking it; only text that is no YAML map has issues. */
export function readText(text: string): ReadText {
  const refuse = (issues: readonly InputIssue[]): ReadText => ({ file: undefined, lineOf: () => undefined, issues });
  try {
    const { value, lineOf } = readFile(text);
    if (value === null) return { file: {}, lineOf, issues: [] };
    return isTree(value) ? { file: value, lineOf, issues: [] } : refuse([{ path: "", message: "must be a map" }]);
  } catch (error) {
    if (error instanceof AppError) return refuse(error.issues);
    throw error;
  }
}

/**
 * Changes a text such that it means the file. Only nodes that differ are replaced, so comments, order and the rest of
 * the text stay; a text that means the file already is returned as it is.
 */
export function writeText(text: string, file: Tree): string {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return toYaml(file);
  // A text without contents may have comments.
  if (document.contents === null) return text.trim() === "" ? toYaml(file) : `${text.trimEnd()}\n${toYaml(file)}`;
  if (!isMap(document.contents)) return toYaml(file);
  if (isEqual(readText(text).file, file)) return text;
  // A change at an anchor would change its aliases, too.
  visit(document, { Alias: (_, alias) => makeNode(document, alias.resolve(document)?.toJS(document)) });
  merge(document, [], { before: document.toJS(), after: file });
  keepPadding(document, text);
  return document.toString({ lineWidth: 0 });
}

/** Writes `{ id: sokoban }` and `[0, 1]` with the spaces that the text has; the library knows one choice for both. */
function keepPadding(document: Document, text: string): void {
  const [ofMaps, ofLists] = [/\{ /, /\[ /].map((padded) => (padded.test(text) ? " " : ""));
  visit(document, {
    Collection: (_, node) => {
      const write = node.toString.bind(node);
      const flowCollectionPadding = (isMap(node) ? ofMaps : ofLists) ?? "";
      node.toString = (context, ...rest) => write(context && { ...context, flowCollectionPadding }, ...rest);
    },
  });
}

type Change = { before: unknown; after: unknown };

function merge(document: Document.Parsed | Document, path: Path, { before, after }: Change): void {
  if (isEqual(before, after)) return;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isTree(before) && isTree(after) && isMap(node)) {
    for (const key of Object.keys(before)) if (after[key] === undefined) node.delete(key);
    for (const [key, child] of Object.entries(after)) {
      merge(document, [...path, key], { before: before[key], after: child });
    }
    const order = Object.keys(after);
    const placeOf = (key: unknown) => order.indexOf(isScalar(key) ? String(key.value) : "");
    if (node.items.some(({ key }, i) => i !== placeOf(key))) node.items.sort((a, b) => placeOf(a.key) - placeOf(b.key));
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && isSeq(node)) {
    mergeLists(document, path, { before, after });
    return;
  }
  if (isScalar(node) && (typeof after !== "object" || after === null)) {
    node.value = after;
    delete node.format;
    delete node.minFractionDigits;
    return;
  }
  const made = makeNode(document, after);
  if (isNode(node)) {
    made.comment = node.comment ?? null;
    made.commentBefore = node.commentBefore ?? null;
  }
  document.setIn(path, made);
}

/** Keeps the items at both ends that are equal, such that comments stay at their items when one is removed. */
function mergeLists(
  document: Document,
  path: Path,
  { before, after }: { before: readonly unknown[]; after: readonly unknown[] },
): void {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isEqual(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && isEqual(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const numChanged = shorter - head - tail;
  for (let i = head; i < head + numChanged; i++) {
    merge(document, [...path, i], { before: before[i], after: after[i] });
  }
  for (let i = before.length - tail - 1; i >= head + numChanged; i--) document.deleteIn([...path, i]);
  const list = document.getIn(path, true);
  const added = after.slice(head + numChanged, after.length - tail);
  if (isSeq(list)) list.items.splice(head + numChanged, 0, ...added.map((one) => makeNode(document, one)));
}

function makeNode(document: Document, value: unknown) {
  const node = document.createNode(value);
  visit(node, {
    Seq: (_, list) => {
      list.flow = list.items.every((item) => isScalar(item));
    },
  });
  return node;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => isEqual(one, b[i]));
  if (!isTree(a) || !isTree(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}
