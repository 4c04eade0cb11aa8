import { fill } from "./ops.ts";
import { add, after, concat, scalar, widen } from "./primitives.ts";
import { toText } from "./shape.ts";
import { withInputs, type Node, type Tensor } from "./tensor.ts";
import { inputGradients } from "./vjp.ts";

/**
 * Returns the gradients of a scalar loss with respect to each tensor of `wrt`, as graphs of the same shapes
 * (reverse-mode differentiation).
 * @param kept nodes of the forward pass whose values are stored; nodes between two kept nodes are recomputed
 */
export function gradients(loss: Tensor, wrt: readonly Tensor[], kept: readonly Tensor[] = []): Tensor[] {
  if (loss.shape.length > 0) throw new RangeError(`gradients: the loss has shape ${toText(loss.shape)}, not ()`);
  const order = inputsFirst([loss]);
  const active = dependents(order, wrt);
  const recall = recomputation(order, kept);
  const contributions = new Map<Tensor, Tensor[]>([[loss, [scalar(1)]]]);
  const found = (): Tensor[] => wrt.flatMap((x) => contributions.get(x) ?? []);
  for (const node of order.toReversed()) {
    const parts = contributions.get(node);
    if (!parts || !active.has(node) || node.inputs.length === 0) continue;
    const total = accumulate(parts);
    contributions.set(node, [total]);
    for (const [i, gradient] of inputGradients(rewiden(recall(node, total, found), total), total).entries()) {
      const source = node.inputs[i];
      if (!gradient || !source || !active.has(source)) continue;
      contributions.set(source, [...(contributions.get(source) ?? []), gradient]);
    }
  }
  return wrt.map((x) => {
    const parts = contributions.get(x);
    return parts ? accumulate(parts) : fill(0, x.shape);
  });
}

/** Lists the outputs' nodes, each after its inputs; iterative, as graphs are deeper than the call stack. */
export function inputsFirst(outputs: readonly Tensor[]): Tensor[] {
  const order: Tensor[] = [];
  const seen = new Set<Tensor>();
  const stack: { node: Tensor; isReady: boolean }[] = outputs.map((node) => ({ node, isReady: false })).reverse();
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (top.isReady) order.push(top.node);
    if (top.isReady || seen.has(top.node)) continue;
    seen.add(top.node);
    stack.push({ node: top.node, isReady: true });
    for (const source of top.node.inputs) if (!seen.has(source)) stack.push({ node: source, isReady: false });
  }
  return order;
}

/** Converts 16-bit inputs anew once the gradient is known: storing converted values would double their size. */
function rewiden(node: Tensor, gradient: Tensor): Tensor {
  if (!node.inputs.some(({ kind }) => kind === "widen")) return node;
  return withInputs(node, (input) => (input.kind === "widen" ? widen(after(input.inputs[0], [gradient])) : input));
}

/** Returns the nodes that depend on a tensor of `wrt`, since gradients flow only through these nodes. */
function dependents(order: readonly Tensor[], wrt: readonly Tensor[]): Set<Tensor> {
  const active = new Set<Tensor>(wrt);
  for (const node of order) if (node.inputs.some((source) => active.has(source))) active.add(node);
  return active;
}

function accumulate(parts: readonly Tensor[]): Tensor {
  return joinSlices(parts) ?? parts.reduce((total, part) => add(total, part));
}

/** Joins gradients of slices that cover an axis, which is cheaper than adding padded ones; null if they do not. */
function joinSlices(parts: readonly Tensor[]): Tensor | null {
  const pads = parts.filter((part): part is Node<"pad"> => part.kind === "pad");
  const axis = pads[0]?.attributes.axis;
  if (axis === undefined || pads.length < parts.length || parts.length < 2) return null;
  const sorted = pads.toSorted((a, b) => a.attributes.before - b.attributes.before);
  let end = 0;
  for (const part of sorted) {
    if (part.attributes.axis !== axis || part.attributes.before !== end) return null;
    end += part.inputs[0].shape[axis] ?? 0;
  }
  if (end !== sorted[0]?.shape[axis]) return null;
  return concat(
    sorted.map((part) => part.inputs[0]),
    axis,
  );
}

/**
 * Function that returns the node that the backward pass reads in place of a forward node. `gradient` is that of the
 * loss with respect to the node. `found` returns the parts of the requested gradients computed so far.
 */
type Recall = (node: Tensor, gradient: Tensor, found: () => readonly Tensor[]) => Tensor;

/**
 * Implements activation checkpointing (arXiv:1604.06174). Nodes between two kept tensors are recomputed from the
 * earlier one when the backward pass reaches them, so that their values need not be stored. Nodes after the last kept
 * tensor are stored, because the backward pass begins there.
 * @param order all nodes, each after its inputs
 * @param kept tensors in the order in which they are computed
 */
function recomputation(order: readonly Tensor[], kept: readonly Tensor[]): Recall {
  const places = new Map(kept.map((tensor, i) => [tensor, i]));
  /** Index in `kept` of the last kept tensor that each node depends on; -1 if it depends on none. */
  const sources = new Map<Tensor, number>();
  for (const node of order) {
    const read = node.inputs.map((input) => places.get(input) ?? sources.get(input) ?? -1);
    sources.set(node, Math.max(-1, ...read));
  }

  const starts = new Map<number, Tensor>();
  const repeated = new Map<Tensor, Tensor>();
  const read = (input: Tensor, source: number): Tensor => {
    const start = starts.get(source);
    if (places.get(input) === source) return start ?? input;
    if (input.kind === "widen" && start) return widen(after(input.inputs[0], [start]));
    return !places.has(input) && sources.get(input) === source ? repeat(input, source) : input;
  };
  const repeat = (node: Tensor, source: number): Tensor => {
    const known = repeated.get(node) ?? withInputs(node, (input) => read(input, source));
    repeated.set(node, known);
    return known;
  };
  const awaited = new Set<Tensor>();
  return (node, gradient, found) => {
    const source = sources.get(node) ?? -1;
    const start = kept[source];
    if (!start || source === kept.length - 1) return node;
    if (!starts.has(source)) {
      // Makes ONNX Runtime compute the weights' gradients early; otherwise it stores their inputs until the end.
      const fresh = found().filter((part) => !awaited.has(part));
      starts.set(source, after(start, [gradient, ...fresh]));
      for (const part of fresh) awaited.add(part);
    }
    return repeat(node, source);
  };
}
