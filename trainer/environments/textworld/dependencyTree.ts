import { inverseOf, reverseOf, type Action } from "./action.ts";

/**
 * What an action of a plan needs done before it, as TextWorld keeps it: a node's children are the actions that make its
 * facts true. Trees are mutable and copied by `copyTree`; copies share their elements, which know the element they
 * were last pushed below.
 */
export type Tree = { roots: Node[] };
type Element = { readonly action: Action; parent: Element | undefined };
type Node = { readonly element: Element; readonly children: Node[] };

export function makeTree(actions: readonly Action[] = []): Tree {
  const tree: Tree = { roots: [] };
  for (const action of actions) push(tree, action);
  return tree;
}

/** One tree of the roots of many. */
export function mergeTrees(trees: readonly Tree[]): Tree {
  return { roots: trees.flatMap(({ roots }) => roots.map(copyNode)) };
}

export function copyTree(tree: Tree): Tree {
  return mergeTrees([tree]);
}

function copyNode({ element, children }: Node): Node {
  return { element, children: children.map(copyNode) };
}

/** Below every action that needs what it makes true and does not have it yet; as the root of an empty tree. */
export function push(tree: Tree, action: Action): boolean {
  const element: Element = { action, parent: undefined };
  if (tree.roots.length > 0) return tree.roots.map((root) => pushBelow(root, element)).some(Boolean);
  tree.roots.push({ element, children: [] });
  return true;
}

function pushBelow(node: Node, element: Element): boolean {
  const isAddedBelow = node.children.map((child) => pushBelow(child, element)).some(Boolean);
  const { action } = element;
  const isNeeded = action.added.some((fact) => node.element.action.pre.includes(fact));
  if (!isNeeded || !bringsNews(node, action)) return isAddedBelow;
  element.parent = node.element;
  node.children.push({ element, children: [] });
  return true;
}

function bringsNews({ children }: Node, action: Action): boolean {
  return action.added.some((fact) => children.every((child) => !child.element.action.added.includes(fact)));
}

/**
 * Takes an action off the tree that was just done, and puts on it what would undo it where that is now needed.
 * @returns whether the tree changed by that, and the action that undoes it, if there is one
 */
export function remove(tree: Tree, action: Action): { hasChanged: boolean; reverse: Action | undefined } {
  const hasRemoved = removeLeaf(tree, action);
  const reverse = reverseOf(action);
  if (tree.roots.length === 0) return { hasChanged: hasRemoved, reverse };
  if (reverse !== undefined) return { hasChanged: push(tree, reverse), reverse };
  return { hasChanged: push(tree, inverseOf(action)) || hasRemoved, reverse };
}

function removeLeaf(tree: Tree, { key }: Action): boolean {
  const positions = listPositions(tree);
  if (!positions.some(({ node }) => node.children.length === 0 && node.element.action.key === key)) return false;
  for (const { node, siblings } of positions) {
    const at = siblings.indexOf(node);
    if (node.element.action.key === key && at >= 0) siblings.splice(at, 1);
  }
  return true;
}

/** Every node with the list it is in, children before their parents. */
function listPositions({ roots }: Tree): readonly { node: Node; siblings: Node[] }[] {
  const positions: { node: Node; siblings: Node[] }[] = [];
  const visit = (node: Node, siblings: Node[]): void => {
    for (const child of node.children) visit(child, node.children);
    positions.push({ node, siblings });
  };
  for (const root of roots) visit(root, roots);
  return positions;
}

/** The actions in an order in which they can be done: leaf after leaf, first those that spoil nothing for others. */
export function flatten(original: Tree): readonly Action[] {
  const tree = copyTree(original);
  const plan: Action[] = [];
  let undoing: Action | undefined;
  let hasChanged = false;
  while (tree.roots.length > 0 && plan.length < maxPlan) {
    const leaves = sortLeaves(listLeaves(tree));
    const leaf = leaves.find(({ action }) => action.key !== undoing?.key || !hasChanged) ?? leaves.at(-1);
    if (leaf === undefined) break;
    plan.push(leaf.action);
    ({ hasChanged, reverse: undoing } = remove(tree, leaf.action));
    for (const root of tree.roots.slice()) {
      if (root.children.length > 0) continue;
      plan.push(root.element.action);
      remove(tree, root.element.action);
    }
  }
  return plan;
}

/** No plan of a game is near it; plans that would undo themselves for ever end there. */
const maxPlan = 1000;

function listLeaves(tree: Tree): readonly Element[] {
  const leaves = listPositions(tree).filter(({ node }) => node.children.length === 0);
  return [...new Set(leaves.map(({ node }) => node.element))];
}

/**
 * The relation is no order (two actions can each spoil the other), so the result depends on how one sorts: like
 * Python, by binary insertion after the first run.
 */
function sortLeaves(leaves: readonly Element[]): readonly Element[] {
  const required = new Map(leaves.map((leaf) => [leaf, requiredBy(leaf)]));
  const spoils = ({ action }: Element, other: Element): number =>
    action.removed.filter((fact) => required.get(other)?.has(fact)).length;
  const isBefore = (a: Element, b: Element): boolean => spoils(b, a) > spoils(a, b);
  const [first, second] = leaves;
  if (first === undefined || second === undefined) return leaves;
  let run = 2;
  const isDescending = isBefore(second, first);
  for (let i = 2; i < leaves.length; i++, run++) {
    const [before, here] = [leaves[i - 1] ?? first, leaves[i] ?? first];
    if (isBefore(here, before) !== isDescending) break;
  }
  const sorted = isDescending ? leaves.slice(0, run).reverse() : leaves.slice(0, run);
  for (const leaf of leaves.slice(run)) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(leaf, sorted[middle] ?? leaf)) high = middle;
      else low = middle + 1;
    }
    sorted.splice(low, 0, leaf);
  }
  return sorted;
}

/** What must hold for a leaf and everything above it to be done. */
function requiredBy(leaf: Element): ReadonlySet<string> {
  const facts = new Set(leaf.action.pre);
  for (let element = leaf; element.parent !== undefined; element = element.parent) {
    for (const fact of element.parent.action.pre) facts.add(fact);
    for (const fact of element.action.added) facts.delete(fact);
  }
  return facts;
}
