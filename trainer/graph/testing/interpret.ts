import { inputsFirst } from "../backward.ts";
import { numElements, toText } from "../shape.ts";
import { type HalfFormat, type Node, type Primitive, type Shape, type Tensor, widenBits } from "../tensor.ts";

export type Values = Readonly<Record<string, ArrayLike<number> | BigInt64Array>>;

/** Evaluates graphs one element at a time in float64, as reference for compiled graphs and gradient rules. */
export function interpret(outputs: readonly Tensor[], feeds: Values = {}): Float64Array[] {
  const results = new Map<Tensor, Float64Array>();
  const valueOf = (node: Tensor): Float64Array => results.get(node) ?? new Float64Array();
  for (const node of inputsFirst(outputs)) {
    results.set(node, evaluate(node, node.kind === "input" ? [fed(node, feeds)] : node.inputs.map(valueOf)));
  }
  return outputs.map(valueOf);
}

type Evaluator<K extends Primitive> = (node: Node<K>, inputs: readonly Float64Array[]) => Float64Array;

function evaluate<K extends Primitive>(node: Node<K>, inputs: readonly Float64Array[]): Float64Array {
  return evaluators[node.kind](node, inputs);
}

const evaluators: { readonly [K in Primitive]: Evaluator<K> } = {
  input: (_, [value]) => value ?? new Float64Array(),
  constant: (node) => Float64Array.from(node.attributes.values),
  stopGradient: (_, [x]) => value(x),
  after: (_, [x]) => value(x),
  widen: (node, [x]) => Float64Array.from(widenBits(Uint16Array.from(value(x)), halfOf(node.inputs[0]))),
  add: elementwise((x, y) => x + y),
  sub: elementwise((x, y) => x - y),
  mul: elementwise((x, y) => x * y),
  div: elementwise((x, y) => x / y),
  maximum: elementwise((x, y) => Math.max(x, y)),
  minimum: elementwise((x, y) => Math.min(x, y)),
  greater: elementwise((x, y) => Number(x > y)),
  where: elementwise((condition, x, y) => (condition === 0 ? y : x)),
  neg: elementwise((x) => -x),
  exp: elementwise(Math.exp),
  log: elementwise(Math.log),
  sqrt: elementwise(Math.sqrt),
  cumulativeSum: (node, [x]) =>
    rowwise(node, x, (row) => {
      let total = 0;
      return row.map((item) => (total += item));
    }),
  sigmoid: elementwise((x) => 1 / (1 + Math.exp(-x))),
  relu: elementwise((x) => Math.max(x, 0)),
  reluSquared: elementwise((x) => Math.max(x, 0) ** 2),
  softmax: (node, [x]) => rowwise(node, x, (row) => logSoftmaxOf(row).map(Math.exp)),
  logSoftmax: (node, [x]) => rowwise(node, x, logSoftmaxOf),
  rmsNorm: (node, [x]) =>
    rowwise(node, x, (row) => row.map((item) => item * inverseRmsOf(row, node.attributes.epsilon))),
  inverseRms: (node, [x]) => {
    const width = node.inputs[0].shape.at(-1) ?? 1;
    const row = (i: number): Float64Array => value(x).subarray(i * width, (i + 1) * width);
    return fill(node.shape, (index) => inverseRmsOf(row(dot(index, stridesOf(node.shape))), node.attributes.epsilon));
  },
  matmul: (node, [a, b]) => {
    const [left, right] = node.inputs;
    const size = left.shape.at(-1) ?? 0;
    const [, columns = 0] = right.shape.slice(-2);
    const leftAt = broadcastOffset(left.shape, [...node.shape.slice(0, -1), 1]);
    const rightAt = broadcastOffset(right.shape, [...node.shape.slice(0, -2), 1, columns]);
    return fill(node.shape, (index) => {
      const [i, j] = [leftAt([...index.slice(0, -1), 0]), rightAt(index.with(index.length - 2, 0))];
      let total = 0;
      for (let k = 0; k < size; k++) total += at(a, i + k) * at(b, j + k * columns);
      return total;
    });
  },
  transpose: (node, [x]) => {
    const { permutation } = node.attributes;
    const strides = stridesOf(node.inputs[0].shape);
    return fill(node.shape, (index) =>
      at(
        x,
        dot(
          index,
          permutation.map((axis) => strides[axis] ?? 0),
        ),
      ),
    );
  },
  reshape: (_, [x]) => value(x),
  broadcastTo: (node, [x]) => {
    const offset = broadcastOffset(node.inputs[0].shape, node.shape);
    return fill(node.shape, (index) => at(x, offset(index)));
  },
  sum: (node, [x]) => reduce(node, x, [0, (total, item) => total + item]),
  max: (node, [x]) => reduce(node, x, [-Infinity, Math.max]),
  gather: (node, [table, indices]) => {
    const width = numElements(node.inputs[0].shape.slice(1));
    const result = new Float64Array(numElements(node.shape));
    for (const [i, row] of value(indices).entries()) {
      result.set(value(table).subarray(row * width, (row + 1) * width), i * width);
    }
    return result;
  },
  scatterRows: (node, [indices, rows]) => {
    const width = numElements(node.shape.slice(1));
    const result = new Float64Array(numElements(node.shape));
    for (const [i, row] of value(indices).entries()) {
      for (let j = 0; j < width; j++) result[row * width + j] = at(result, row * width + j) + at(rows, i * width + j);
    }
    return result;
  },
  takeAlongLast: (node, [x, indices]) => {
    const width = node.inputs[0].shape.at(-1) ?? 0;
    return value(indices).map((index, i) => at(x, i * width + index));
  },
  scatterAlongLast: (node, [indices, values]) => {
    const result = new Float64Array(numElements(node.shape));
    const width = node.shape.at(-1) ?? 0;
    for (const [i, index] of value(indices).entries()) result[i * width + index] = at(values, i);
    return result;
  },
  concat: (node, parts) => {
    const { axis } = node.attributes;
    const starts = node.inputs.map((_, i) => node.inputs.slice(0, i).reduce((end, x) => end + (x.shape[axis] ?? 0), 0));
    return fill(node.shape, (index) => {
      const position = index[axis] ?? 0;
      const i = starts.findLastIndex((start) => start <= position);
      const local = index.with(axis, position - (starts[i] ?? 0));
      return at(parts[i], dot(local, stridesOf(node.inputs[i]?.shape ?? [])));
    });
  },
  slice: (node, [x]) => shifted(node, x, node.attributes.start),
  pad: (node, [x]) => shifted(node, x, -node.attributes.before),
};

/** Returns an evaluator that applies a function to broadcast elements. Arguments beyond the node's inputs are NaN. */
function elementwise(
  apply: (x: number, y: number, z: number) => number,
): (node: Tensor, i: readonly Float64Array[]) => Float64Array {
  return (node, inputs) => {
    const offsets = node.inputs.map((source) => broadcastOffset(source.shape, node.shape));
    return fill(node.shape, (index) => {
      const [x = NaN, y = NaN, z = NaN] = offsets.map((offset, i) => at(inputs[i], offset(index)));
      return apply(x, y, z);
    });
  };
}

function rowwise(node: Tensor, x: Float64Array | undefined, apply: (row: Float64Array) => Float64Array): Float64Array {
  const width = node.shape.at(-1) ?? 1;
  const result = new Float64Array(numElements(node.shape));
  for (let start = 0; start < result.length; start += width) {
    result.set(apply(value(x).subarray(start, start + width)), start);
  }
  return result;
}

function logSoftmaxOf(row: Float64Array): Float64Array {
  const most = row.reduce((x, y) => Math.max(x, y), -Infinity);
  const logSum = most + Math.log(row.reduce((total, x) => total + Math.exp(x - most), 0));
  return row.map((x) => x - logSum);
}

function inverseRmsOf(row: Float64Array, epsilon: number): number {
  return 1 / Math.sqrt(row.reduce((total, x) => total + x * x, 0) / row.length + epsilon);
}

function reduce(
  node: Node<"sum" | "max">,
  x: Float64Array | undefined,
  [start, combine]: readonly [number, (total: number, item: number) => number],
): Float64Array {
  const [source] = node.inputs;
  const kept = source.shape.map((size, axis) => (node.attributes.axes.includes(axis) ? 1 : size));
  const offset = broadcastOffset(kept, source.shape);
  const result = new Float64Array(numElements(node.shape)).fill(start);
  for (const [i, item] of value(x).entries()) {
    const target = offset(indexOf(i, source.shape));
    result[target] = combine(at(result, target), item);
  }
  return result;
}

/** Evaluates `slice` or `pad`: reads x at indices shifted by `by` along the node's axis. Values outside x are 0. */
function shifted(node: Node<"slice" | "pad">, x: Float64Array | undefined, by: number): Float64Array {
  const { axis } = node.attributes;
  const { shape } = node.inputs[0];
  return fill(node.shape, (index) => {
    const position = (index[axis] ?? 0) + by;
    return position < 0 || position >= (shape[axis] ?? 0)
      ? 0
      : at(x, dot(index.with(axis, position), stridesOf(shape)));
  });
}

/** Returns a function that maps an index of the large shape to the offset in a tensor that broadcasts to that shape. */
function broadcastOffset(small: Shape, large: Shape): (index: readonly number[]) => number {
  const missing = large.length - small.length;
  const strides = stridesOf(small).map((stride, axis) => (small[axis] === 1 ? 0 : stride));
  return (index) => dot(index.slice(missing), strides);
}

function fill(shape: Shape, valueAt: (index: readonly number[]) => number): Float64Array {
  return new Float64Array(numElements(shape)).map((_, i) => valueAt(indexOf(i, shape)));
}

function indexOf(flat: number, shape: Shape): number[] {
  return stridesOf(shape).map((stride, axis) => Math.floor(flat / stride) % (shape[axis] ?? 1));
}

function dot(x: readonly number[], y: readonly number[]): number {
  return x.reduce((total, item, i) => total + item * (y[i] ?? 0), 0);
}

function fed(node: Node<"input">, feeds: Values): Float64Array {
  const { name } = node.attributes;
  const found = feeds[name];
  if (!found) throw new RangeError(`interpret: no value for input "${name}"`);
  if (found.length !== numElements(node.shape)) {
    throw new RangeError(`interpret: input "${name}" has ${found.length} values for shape ${toText(node.shape)}`);
  }
  return Float64Array.from(found, Number);
}

function halfOf({ dtype }: Tensor): HalfFormat {
  if (dtype === "bf16" || dtype === "f16") return dtype;
  throw new TypeError(`widen: expects bf16 or f16, got ${dtype}`);
}

function value(x: Float64Array | undefined): Float64Array {
  return x ?? new Float64Array();
}

function at(x: Float64Array | undefined, i: number): number {
  return x?.[i] ?? NaN;
}

/** Returns the row-major strides of a shape, in elements. */
function stridesOf(shape: Shape): number[] {
  const strides = shape.map(() => 1);
  for (let i = shape.length - 2; i >= 0; i--) strides[i] = (strides[i + 1] ?? 1) * (shape[i + 1] ?? 1);
  return strides;
}
