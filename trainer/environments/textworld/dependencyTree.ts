import { inverseOf, reverseOf, type Action } from "./action.ts";

/**
 * Tree of dependencies between the actions of a plan, as TextWorld stores them: a node's children are the actions
 * that make its preconditions true. Trees are mutable and copied by `copyTree`. Copies share their elements, and an
 * element's `parent` is that of its last push.
 */
export type Tree = { roots: Node[] };
type Element = { readonly action: Action; parent: Element | undefined };
type Node = { readonly element: Element; readonly children: Node[] };

export function makeTree(actions: readonly Action[] = []): Tree {
  const tree: Tree = { roots: [] };
  for (const action of actions) push(tree, action);
  return tree;
}

/** Returns one dependency tree with copies of the roots of all given trees. */
export function mergeTrees(trees: readonly Tree[]): Tree {
  return { roots: trees.flatMap(({ roots }) => roots.map(copyNode)) };
}

export function copyTree(tree: Tree): Tree {
  return mergeTrees([tree]);
}

function copyNode({ element, children }: Node): Node {
  return { element, children: children.map(copyNode) };
}

/** Adds the action below every node that needs one of its new facts, or as root of an empty tree; true if added. */
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
 * Removes an executed action from the dependency tree, and adds the action that undoes it if that is now needed.
 * @returns `hasChanged`: true if the tree changed; `reverse`: the action that undoes `action`, if one exists
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

/** Lists every node of the tree with its siblings, children before their parents. */
function listPositions({ roots }: Tree): readonly { node: Node; siblings: Node[] }[] {
  const positions: { node: Node; siblings: Node[] }[] = [];
  const visit = (node: Node, siblings: Node[]): void => {
    for (const child of node.children) visit(child, node.children);
    positions.push({ node, siblings });
  };
  for (const root of roots) visit(root, roots);
  return positions;
}

/** Returns the tree's actions in an executable order, leaf after leaf. Leaves that remove no needed fact come first. */
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

/** Maximum number of actions in a plan, which stops plans that undo themselves without end. */
const maxPlan = 1000;

function listLeaves(tree: Tree): readonly Element[] {
  const leaves = listPositions(tree).filter(({ node }) => node.children.length === 0);
  return [...new Set(leaves.map(({ node }) => node.element))];
}

/**
 * Sorts leaves that remove no needed fact to the front. Two actions can each remove a fact that the other needs, so
 * the order depends on the algorithm. As in TextWorld's Python, it is binary insertion after the first sorted run.
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

/** Returns the facts that must hold so that a leaf's action and the actions of all its ancestors can be executed. */
function requiredBy(leaf: Element): ReadonlySet<string> {
  const facts = new Set(leaf.action.pre);
  for (let element = leaf; element.parent !== undefined; element = element.parent) {
    for (const fact of element.parent.action.pre) facts.add(fact);
    for (const fact of element.action.added) facts.delete(fact);
  }
  return facts;
}
