import { after, widen } from "./primitives.ts";
import { withInputs, type Tensor } from "./tensor.ts";

/**
 * A node as the backward pass reads it, once the gradient of the loss with respect to it is known; `found` are parts of
 * the gradients that are asked for, all that there are so far.
 */
export type Recall = (node: Tensor, gradient: Tensor, found: () => readonly Tensor[]) => Tensor;

/**
 * Activation checkpointing (arXiv:1604.06174). What lies between one kept tensor and the next is computed a second time,
 * from the kept one, when the backward pass arrives there; so of the first time nothing has to be held. What follows the
 * last of them is held, since the backward pass begins with it.
 * @param order all nodes, each after its inputs
 * @param kept in the order in which they are computed
 */
export function recomputation(order: readonly Tensor[], kept: readonly Tensor[]): Recall {
  const places = new Map(kept.map((tensor, i) => [tensor, i]));
  /** The last kept tensor that a node is computed from, -1 where there is none. */
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
      // Else ONNX Runtime leaves the weights' gradients for the end, and holds what they are made of until then.
      const fresh = found().filter((part) => !awaited.has(part));
      starts.set(source, after(start, [gradient, ...fresh]));
      for (const part of fresh) awaited.add(part);
    }
    return repeat(node, source);
  };
}
