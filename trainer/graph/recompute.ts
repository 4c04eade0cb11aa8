import { after, widen } from "./primitives.ts";
import { withInputs, type Tensor } from "./tensor.ts";

/**
 * Returns a node as the backward pass reads it, given the gradient of the loss with respect to it. `found` are the
 * parts of the requested gradients computed so far.
 */
export type Recall = (node: Tensor, gradient: Tensor, found: () => readonly Tensor[]) => Tensor;

/**
 * Activation checkpointing (arXiv:1604.06174). Nodes between two kept tensors are recomputed from the first one when
 * the backward pass reaches them, so their first values need not be stored. Nodes after the last kept tensor are
 * stored: the backward pass begins with them.
 * @param order all nodes, each after its inputs
 * @param kept in the order in which they are computed
 */
export function recomputation(order: readonly Tensor[], kept: readonly Tensor[]): Recall {
  const places = new Map(kept.map((tensor, i) => [tensor, i]));
  /** Index of the last kept tensor that each node depends on; -1 where there is none. */
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
      // Otherwise ONNX Runtime computes the weights' gradients last, and keeps their inputs until then.
      const fresh = found().filter((part) => !awaited.has(part));
      starts.set(source, after(start, [gradient, ...fresh]));
      for (const part of fresh) awaited.add(part);
    }
    return repeat(node, source);
  };
}
