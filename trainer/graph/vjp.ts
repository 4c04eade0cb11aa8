import {
  add,
  broadcastTo,
  cumulativeSum,
  div,
  exp,
  gather,
  greater,
  inverseRms,
  matmul,
  mul,
  neg,
  pad,
  relu,
  reshape,
} from "./primitives.ts";
import { scatterAlongLast, scatterRows, slice, sub, sum, takeAlongLast, transpose, where } from "./primitives.ts";
import { isSameShape, numElements, withAxis } from "./shape.ts";
import type { Node, Primitive, Tensor } from "./tensor.ts";

/** Vector–Jacobian product of one node: output gradient → input gradients; null for an input without one. */
export function inputGradients<K extends Primitive>(node: Node<K>, gradient: Tensor): readonly (Tensor | null)[] {
  return rules[node.kind](node, gradient);
}

type Rule<K extends Primitive> = (node: Node<K>, g: Tensor) => readonly (Tensor | null)[];

/** Rule of each primitive. Rules that broadcast their inputs sum the gradients back with `unbroadcast`. */
const rules: { readonly [K in Primitive]: Rule<K> } = {
  input: () => [],
  constant: () => [],
  stopGradient: () => [null],
  after: (_, g) => [g],
  widen: () => [null],
  greater: () => [null, null],
  add: ({ inputs: [a, b] }, g) => [unbroadcast(g, a), unbroadcast(g, b)],
  sub: ({ inputs: [a, b] }, g) => [unbroadcast(g, a), unbroadcast(neg(g), b)],
  mul: ({ inputs: [a, b] }, g) =>
    a === b ? [mul(mul(g, 2), a), null] : [unbroadcast(mul(g, b), a), unbroadcast(mul(g, a), b)],
  div: (y, g) => {
    const [a, b] = y.inputs;
    const scaled = div(g, b);
    return [unbroadcast(scaled, a), unbroadcast(neg(mul(scaled, y)), b)];
  },
  maximum: ({ inputs: [a, b] }, g) => splitAt(a, b, [shareOf(b, a), g]),
  minimum: ({ inputs: [a, b] }, g) => splitAt(a, b, [shareOf(a, b), g]),
  where: ({ inputs: [condition, a, b] }, g) => [
    null,
    unbroadcast(where(condition, g, 0), a),
    unbroadcast(where(condition, 0, g), b),
  ],
  neg: (_, g) => [neg(g)],
  exp: (y, g) => [mul(g, y)],
  log: ({ inputs: [x] }, g) => [div(g, x)],
  sqrt: (y, g) => [div(mul(g, 0.5), y)],
  // Input i is a term of every output j ≥ i, so its gradient is Σ_{j ≥ i} g_j.
  cumulativeSum: (_, g) => [add(sub(sum(g, -1, { keepDims: true }), cumulativeSum(g)), g)],
  sigmoid: (y, g) => [mul(g, mul(y, sub(1, y)))],
  relu: ({ inputs: [x] }, g) => [where(greater(x, 0), g, 0)],
  // The factor 2 multiplies g first. If g is a matrix product, ONNX Runtime folds the factor into it at no cost.
  reluSquared: ({ inputs: [x] }, g) => [mul(mul(g, 2), relu(x))],
  softmax: (y, g) => [mul(y, sub(g, sum(mul(g, y), -1, { keepDims: true })))],
  logSoftmax: (y, g) => [sub(g, mul(exp(y), sumOverLast(g)))],
  rmsNorm: (y, g) => {
    const [x] = y.inputs;
    const share = mul(sum(mul(g, y), -1, { keepDims: true }), 1 / (x.shape.at(-1) ?? 1));
    return [mul(sub(g, mul(y, share)), inverseRms(x, y.attributes.epsilon))];
  },
  inverseRms: (y, g) => {
    const [x] = y.inputs;
    return [mul(x, mul(mul(g, mul(mul(y, y), y)), -1 / (x.shape.at(-1) ?? 1)))];
  },
  matmul: ({ inputs: [a, b] }, g) => [matmulLeft(a, b, g), matmulRight(a, b, g)],
  // (a·b)ᵀ becomes bᵀ·aᵀ: transposing operands of a matrix product is free, transposing its result is not.
  transpose: ({ attributes: { permutation } }, g) =>
    g.kind === "matmul" && swapsLast(permutation)
      ? [matmul(transpose(g.inputs[1]), transpose(g.inputs[0]))]
      : [transpose(g, inverse(permutation))],
  reshape: ({ inputs: [x] }, g) => [reshape(g, x.shape)],
  broadcastTo: ({ inputs: [x] }, g) => [unbroadcast(g, x)],
  sum: (y, g) => [broadcastTo(reshape(g, keptShape(y)), y.inputs[0].shape)],
  max: (y, g) => {
    const [x] = y.inputs;
    const isMaximum = where(greater(reshape(y, keptShape(y)), x), 0, 1);
    const count = sum(isMaximum, y.attributes.axes, { keepDims: true });
    return [mul(isMaximum, div(reshape(g, keptShape(y)), count))];
  },
  gather: ({ inputs: [table, indices] }, g) => [scatterRows(indices, g, table.shape[0] ?? 0), null],
  scatterRows: ({ inputs: [indices] }, g) => [null, gather(g, indices)],
  takeAlongLast: ({ inputs: [x, indices] }, g) => [scatterAlongLast(indices, g, x.shape.at(-1) ?? 0), null],
  scatterAlongLast: ({ inputs: [indices] }, g) => [null, takeAlongLast(g, indices)],
  concat: ({ inputs, attributes: { axis } }, g) => {
    let start = 0;
    return inputs.map((part) => slice(g, axis, [start, (start += part.shape[axis] ?? 0)]));
  },
  slice: ({ inputs: [x], attributes: { axis, start, end } }, g) => [pad(g, axis, [start, (x.shape[axis] ?? 0) - end])],
  pad: ({ inputs: [x], attributes: { axis, before } }, g) => [slice(g, axis, [before, before + (x.shape[axis] ?? 0)])],
};

/** Sums a gradient over the axes along which `x` was broadcast. */
function unbroadcast(g: Tensor, x: Tensor): Tensor {
  if (isSameShape(g.shape, x.shape)) return g;
  const missing = g.shape.length - x.shape.length;
  const axes = g.shape.flatMap((size, i) => (i < missing || (x.shape[i - missing] === 1 && size !== 1) ? [i] : []));
  return reshape(sum(g, axes), x.shape);
}

/** Derivative of max(x, y) with respect to x: 1 where x > y, ½ at a tie (as in PyTorch and JAX), else 0. */
function shareOf(x: Tensor, y: Tensor): Tensor {
  return where(greater(x, y), 1, where(greater(y, x), 0, 0.5));
}

function splitAt(a: Tensor, b: Tensor, [shareOfB, g]: readonly [Tensor, Tensor]): Tensor[] {
  return [unbroadcast(mul(g, sub(1, shareOfB)), a), unbroadcast(mul(g, shareOfB), b)];
}

/** Gradient by a of the matrix product y = a·b, given g for y: g·bᵀ. */
function matmulLeft(a: Tensor, b: Tensor, g: Tensor): Tensor {
  return unbroadcast(matmul(g, transpose(b)), a);
}

/** Gradient by b: aᵀ·g. If b is a shared (K, M) weight, a's leading axes are flattened: one product, not a sum. */
function matmulRight(a: Tensor, b: Tensor, g: Tensor): Tensor {
  if (b.shape.length > 2 || a.shape.length === 2) return unbroadcast(matmul(transpose(a), g), b);
  return matmul(transpose(toMatrix(a)), toMatrix(g));
}

function toMatrix(x: Tensor): Tensor {
  const width = x.shape.at(-1) ?? 1;
  return reshape(x, [numElements(x.shape) / width, width]);
}

/** Sums a gradient over the last axis. If it was scattered from one element per row, the sum is that element. */
function sumOverLast(g: Tensor): Tensor {
  if (g.kind === "scatterAlongLast") return reshape(g.inputs[1], [...g.inputs[1].shape, 1]);
  return sum(g, -1, { keepDims: true });
}

function keptShape({ inputs: [x], attributes: { axes } }: Node<"sum" | "max">): readonly number[] {
  return axes.reduce((shape, axis) => withAxis(shape, axis, 1), x.shape);
}

function swapsLast(permutation: readonly number[]): boolean {
  const last = permutation.length - 1;
  return permutation.every((axis, i) => axis === (i < last - 1 ? i : 2 * last - 1 - i));
}

function inverse(permutation: readonly number[]): number[] {
  return permutation.map((_, i) => permutation.indexOf(i));
}
