import {
  broadcastShapes,
  isSameShape,
  normalizeAxes,
  normalizeAxis,
  numElements,
  reducedShape,
  toText,
  withAxis,
} from "./shape.ts";
import { freeze, type Dtype, type Shape, type Tensor } from "./tensor.ts";

/** Operand of an elementwise operator: a tensor, or a number as a scalar constant. */
export type Operand = Tensor | number;
export type AxisOptions = { readonly keepDims?: boolean };
const none = {} as const;

export function input(name: string, shape: Shape, dtype: Dtype = "f32"): Tensor {
  return freeze({ kind: "input", attributes: { name }, inputs: [], shape, dtype });
}

/** Makes a constant tensor from row-major values. The array must not be mutated afterwards. */
export function constant(values: ArrayLike<number>, shape: Shape, dtype: Dtype = "f32"): Tensor {
  ensure(values.length === numElements(shape), "constant", `${values.length} values for shape ${toText(shape)}`);
  return freeze({ kind: "constant", attributes: { values }, inputs: [], shape, dtype });
}

export function scalar(value: number): Tensor {
  return constant([value], []);
}

type ElementwiseBinary = "add" | "sub" | "mul" | "div" | "maximum" | "minimum" | "greater";

function binary(kind: ElementwiseBinary, left: Operand, right: Operand): Tensor {
  const [a, b] = [withoutBroadcast(toTensor(left)), withoutBroadcast(toTensor(right))];
  requireFloat(kind, a, b);
  const shape = broadcast(kind, toTensor(left), toTensor(right));
  const dtype = kind === "greater" ? "bool" : "f32";
  return broadcastTo(freeze({ kind, attributes: none, inputs: [a, b], shape: broadcast(kind, a, b), dtype }), shape);
}

/** Removes a broadcast: elementwise operators broadcast implicitly, and are cheaper on the smaller tensor. */
function withoutBroadcast(x: Tensor): Tensor {
  return x.kind === "broadcastTo" ? x.inputs[0] : x;
}

export const add = (a: Operand, b: Operand): Tensor => binary("add", a, b);
export const sub = (a: Operand, b: Operand): Tensor => binary("sub", a, b);
export const mul = (a: Operand, b: Operand): Tensor => binary("mul", a, b);
export const div = (a: Operand, b: Operand): Tensor => binary("div", a, b);
/** Elementwise maximum. Equal operands get half of the gradient each. */
export const maximum = (a: Operand, b: Operand): Tensor => binary("maximum", a, b);
/** Elementwise minimum. Equal operands get half of the gradient each. */
export const minimum = (a: Operand, b: Operand): Tensor => binary("minimum", a, b);
/** Elementwise comparison a > b, as a bool tensor. No gradient. */
export const greater = (a: Operand, b: Operand): Tensor => binary("greater", a, b);

/** Returns x, computed after `others` (f32). Its readers start after `others`, and are not merged with readers of x. */
export function after(x: Tensor, others: readonly Tensor[]): Tensor {
  requireFloat("after", ...others);
  return freeze({ kind: "after", attributes: none, inputs: [x, ...others], shape: x.shape, dtype: x.dtype });
}

/** Converts 16-bit floats to f32, exactly; f32 is unchanged. No gradient. */
export function widen(x: Tensor): Tensor {
  if (x.dtype === "f32") return x;
  ensure(x.dtype === "bf16" || x.dtype === "f16", "widen", `expects bf16, f16 or f32, got ${x.dtype}`);
  return freeze({ kind: "widen", attributes: none, inputs: [x], shape: x.shape, dtype: "f32" });
}

type Elementwise = "stopGradient" | "neg" | "exp" | "log" | "sqrt" | "sigmoid" | "relu" | "reluSquared";

function unary(kind: Elementwise | "softmax" | "logSoftmax" | "cumulativeSum", x: Tensor): Tensor {
  requireFloat(kind, x);
  return freeze({ kind, attributes: none, inputs: [x], shape: x.shape, dtype: x.dtype });
}

/** Returns x, with gradient 0. */
export const stopGradient = (x: Tensor): Tensor => unary("stopGradient", x);
export const neg = (x: Tensor): Tensor => unary("neg", x);
export const exp = (x: Tensor): Tensor => unary("exp", x);
export const log = (x: Tensor): Tensor => unary("log", x);
export const sqrt = (x: Tensor): Tensor => unary("sqrt", x);
export const sigmoid = (x: Tensor): Tensor => unary("sigmoid", x);
/** max(x, 0), elementwise, with gradient 0 at 0. */
export const relu = (x: Tensor): Tensor => unary("relu", x);
/** max(x, 0)², elementwise. */
export const reluSquared = (x: Tensor): Tensor => unary("reluSquared", x);
/** Softmax over the last axis. */
export const softmax = (x: Tensor): Tensor => unary("softmax", x);
/** Log-softmax over the last axis. */
export const logSoftmax = (x: Tensor): Tensor => unary("logSoftmax", x);

/** Cumulative sum over the last axis, each element included. */
export const cumulativeSum = (x: Tensor): Tensor => unary("cumulativeSum", x);

/** x / √(mean(x²) + ε) over the last axis (arXiv:1910.07467, without a gain). */
export function rmsNorm(x: Tensor, epsilon: number): Tensor {
  requireFloat("rmsNorm", x);
  return freeze({ kind: "rmsNorm", attributes: { epsilon }, inputs: [x], shape: x.shape, dtype: "f32" });
}

/** Returns the factor by which `rmsNorm` scales x: 1 / √(mean(x²) + ε) over the last axis, whose size becomes 1. */
export function inverseRms(x: Tensor, epsilon: number): Tensor {
  requireFloat("inverseRms", x);
  const shape = withAxis(x.shape, x.shape.length - 1, 1);
  return freeze({ kind: "inverseRms", attributes: { epsilon }, inputs: [x], shape, dtype: "f32" });
}

/** Elementwise `condition ? whenTrue : whenFalse`. Elements not selected get gradient 0. */
export function where(condition: Tensor, whenTrue: Operand, whenFalse: Operand): Tensor {
  const [a, b] = [toTensor(whenTrue), toTensor(whenFalse)];
  ensure(condition.dtype === "bool", "where", `the condition is ${condition.dtype}, not bool`);
  requireFloat("where", a, b);
  const shape = broadcastShapes(condition.shape, broadcast("where", a, b));
  if (!shape) throw mismatch("where", condition.shape, a.shape);
  return freeze({ kind: "where", attributes: none, inputs: [condition, a, b], shape, dtype: "f32" });
}

/** Matrix product (…, N, K) · (…, K, M) → (…, N, M). Leading axes are broadcast. */
export function matmul(a: Tensor, b: Tensor): Tensor {
  requireFloat("matmul", a, b);
  const [n, k] = a.shape.slice(-2);
  const [k2, m] = b.shape.slice(-2);
  const leading = broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2));
  if (n === undefined || k === undefined || m === undefined || k !== k2 || !leading) {
    throw mismatch("matmul", a.shape, b.shape);
  }
  return freeze({ kind: "matmul", attributes: none, inputs: [a, b], shape: [...leading, n, m], dtype: "f32" });
}

/** Permutes the axes; without a permutation, swaps the last two. */
export function transpose(x: Tensor, permutation: readonly number[] = swapLast(x.shape.length)): Tensor {
  const isPermutation = isSameShape([...permutation].sort(ascending), [...x.shape.keys()]);
  ensure(isPermutation, "transpose", `[${permutation.join(", ")}] does not permute ${toText(x.shape)}`);
  if (permutation.every((axis, i) => axis === i)) return x;
  if (x.kind === "transpose") {
    const first = x.attributes.permutation;
    return transpose(
      x.inputs[0],
      permutation.map((axis) => first[axis] ?? 0),
    );
  }
  const shape = permutation.map((axis) => x.shape[axis] ?? 1);
  return freeze({ kind: "transpose", attributes: { permutation }, inputs: [x], shape, dtype: x.dtype });
}

export function reshape(x: Tensor, shape: Shape): Tensor {
  if (isSameShape(x.shape, shape)) return x;
  if (numElements(x.shape) !== numElements(shape)) throw mismatch("reshape", x.shape, shape);
  return freeze({ kind: "reshape", attributes: none, inputs: [x], shape, dtype: x.dtype });
}

export function broadcastTo(x: Tensor, shape: Shape): Tensor {
  if (isSameShape(x.shape, shape)) return x;
  const joint = broadcastShapes(x.shape, shape);
  if (!joint || !isSameShape(joint, shape)) throw mismatch("broadcastTo", x.shape, shape);
  return freeze({ kind: "broadcastTo", attributes: none, inputs: [x], shape, dtype: x.dtype });
}

function reduce(
  kind: "sum" | "max",
  x: Tensor,
  { axes: wanted, keepDims = false }: AxisOptions & { axes?: number | readonly number[] | undefined },
): Tensor {
  requireFloat(kind, x);
  const axes = normalizeAxes(wanted, x.shape.length, kind);
  if (axes.length === 0) return x;
  const shape = reducedShape(x.shape, axes, keepDims);
  return freeze({ kind, attributes: { axes, keepDims }, inputs: [x], shape, dtype: x.dtype });
}

/** Sum over the given axes, by default over all axes. */
export function sum(x: Tensor, axes?: number | readonly number[], options: AxisOptions = {}): Tensor {
  return reduce("sum", x, { ...options, axes });
}

/** Maximum over the given axes, by default over all axes. Equal maxima share the gradient. */
export function max(x: Tensor, axes?: number | readonly number[], options: AxisOptions = {}): Tensor {
  return reduce("max", x, { ...options, axes });
}

/** Returns the rows of `table` (V, …) at `indices` (i64, any shape); the result has shape (indices…, …). */
export function gather(table: Tensor, indices: Tensor): Tensor {
  requireIndices("gather", indices);
  const shape = [...indices.shape, ...table.shape.slice(1)];
  return freeze({ kind: "gather", attributes: none, inputs: [table, indices], shape, dtype: table.dtype });
}

/** Zeros of shape (numRows, …) to which `rows` (indices…, …) are added at `indices`; repeated ones add up. */
export function scatterRows(indices: Tensor, rows: Tensor, numRows: number): Tensor {
  requireIndices("scatterRows", indices);
  const rank = indices.shape.length;
  if (!isSameShape(rows.shape.slice(0, rank), indices.shape)) throw mismatch("scatterRows", indices.shape, rows.shape);
  const shape = [numRows, ...rows.shape.slice(rank)];
  return freeze({ kind: "scatterRows", attributes: none, inputs: [indices, rows], shape, dtype: "f32" });
}

/** Returns one element of x (…, V) per index (…): out[…] = x[…, indices[…]]. */
export function takeAlongLast(x: Tensor, indices: Tensor): Tensor {
  requireIndices("takeAlongLast", indices);
  if (!isSameShape(x.shape.slice(0, -1), indices.shape)) throw mismatch("takeAlongLast", x.shape, indices.shape);
  const shape = indices.shape;
  return freeze({ kind: "takeAlongLast", attributes: none, inputs: [x, indices], shape, dtype: x.dtype });
}

/** Returns zeros of shape (…, size) in which `values` (…) are written at `indices` (…) of the last axis. */
export function scatterAlongLast(indices: Tensor, values: Tensor, size: number): Tensor {
  requireIndices("scatterAlongLast", indices);
  if (!isSameShape(values.shape, indices.shape)) throw mismatch("scatterAlongLast", values.shape, indices.shape);
  const shape = [...indices.shape, size];
  return freeze({ kind: "scatterAlongLast", attributes: none, inputs: [indices, values], shape, dtype: "f32" });
}

export function concat(parts: readonly Tensor[], axis: number): Tensor {
  const [first] = parts;
  if (!first) throw new RangeError("concat: nothing to join");
  const along = normalizeAxis(axis, first.shape.length, "concat");
  for (const part of parts) {
    if (!isSameShape(withAxis(part.shape, along, 0), withAxis(first.shape, along, 0))) {
      throw mismatch("concat", first.shape, part.shape);
    }
  }
  const size = parts.reduce((total, part) => total + (part.shape[along] ?? 0), 0);
  const shape = withAxis(first.shape, along, size);
  return freeze({ kind: "concat", attributes: { axis: along }, inputs: parts, shape, dtype: first.dtype });
}

/** Returns the elements with start ≤ i < end along one axis. */
export function slice(x: Tensor, axis: number, [start, end]: readonly [number, number]): Tensor {
  const along = normalizeAxis(axis, x.shape.length, "slice");
  const size = x.shape[along] ?? 0;
  ensure(0 <= start && start < end && end <= size, "slice", `[${start}, ${end}) does not lie in axis of ${size}`);
  const shape = withAxis(x.shape, along, end - start);
  return freeze({ kind: "slice", attributes: { axis: along, start, end }, inputs: [x], shape, dtype: x.dtype });
}

/** Returns x with `before` zeros before and `after` zeros after its elements along one axis. */
export function pad(x: Tensor, axis: number, [before, after]: readonly [number, number]): Tensor {
  const along = normalizeAxis(axis, x.shape.length, "pad");
  const shape = withAxis(x.shape, along, (x.shape[along] ?? 0) + before + after);
  return freeze({ kind: "pad", attributes: { axis: along, before, after }, inputs: [x], shape, dtype: "f32" });
}

function toTensor(x: Operand): Tensor {
  return typeof x === "number" ? scalar(x) : x;
}

function broadcast(what: string, a: Tensor, b: Tensor): Shape {
  const shape = broadcastShapes(a.shape, b.shape);
  if (!shape) throw mismatch(what, a.shape, b.shape);
  return shape;
}

function swapLast(rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, i) => i);
  return [...axes.slice(0, -2), ...axes.slice(-2).reverse()];
}

const ascending = (x: number, y: number): number => x - y;

function requireFloat(what: string, ...tensors: readonly Tensor[]): void {
  for (const { dtype } of tensors) ensure(dtype === "f32", what, `expects f32, got ${dtype}`);
}

function requireIndices(what: string, indices: Tensor): void {
  ensure(indices.dtype === "i64", what, `indices are ${indices.dtype}, not i64`);
}

function ensure(condition: boolean, what: string, message: string): void {
  if (!condition) throw new RangeError(`${what}: ${message}`);
}

function mismatch(what: string, a: Shape, b: Shape): RangeError {
  return new RangeError(`${what}: shapes ${toText(a)} and ${toText(b)} do not fit`);
}
