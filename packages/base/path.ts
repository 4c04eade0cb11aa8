/** Functions on dotted paths into plain objects, such as `optimizer.learningRate`. They never mutate the object. */
export type Tree = Readonly<Record<string, unknown>>;

export function hasAt(tree: unknown, path: string): boolean {
  const [head, rest] = splitPath(path);
  if (!isTree(tree) || !Object.hasOwn(tree, head)) return false;
  return rest === undefined || hasAt(tree[head], rest);
}

export function readAt(tree: unknown, path: string): unknown {
  const [head, rest] = splitPath(path);
  if (!isTree(tree) || !Object.hasOwn(tree, head)) return undefined;
  return rest === undefined ? tree[head] : readAt(tree[head], rest);
}

/** Sets the value at a path. Another `kind` replaces the whole union member, because its fields do not fit. */
export function setAt(tree: Tree, path: string, value: unknown): Tree {
  const [head, rest] = splitPath(path);
  if (rest === undefined) {
    return head === "kind" && tree[head] !== value ? { kind: value } : { ...tree, [head]: value };
  }
  const child = Object.hasOwn(tree, head) ? tree[head] : undefined;
  return { ...tree, [head]: setAt(isTree(child) ? child : {}, rest, value) };
}

/** Removes the value at a path; returns the object unchanged if the path does not exist. */
export function dropAt(tree: Tree, path: string): Tree {
  const [head, rest] = splitPath(path);
  const { [head]: child, ...others } = tree;
  if (rest === undefined || !isTree(child)) return rest === undefined ? others : tree;
  return { ...tree, [head]: dropAt(child, rest) };
}

function splitPath(path: string): [head: string, rest?: string] {
  const dot = path.indexOf(".");
  return dot < 0 ? [path] : [path.slice(0, dot), path.slice(dot + 1)];
}

export function isTree(x: unknown): x is Tree {
  return typeof x === "object" && x !== null && !Array.isArray(x);
}

/** Groups items by key, in order of first appearance, like `Map.groupBy` in Node.js 21. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
