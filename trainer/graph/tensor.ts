/** Frozen node of a computation with static shape and type; `interpret` and `trainer/onnx` compute its value. */
export type Tensor = Node;
/** Element types. 16-bit floats are only stored: `widen` converts them to f32 before any computation. */
export type Dtype = "f32" | HalfFormat | "i64" | "bool";
export type Shape = readonly number[];
export type Primitive = keyof Signatures;

/** Graph node of the primitive K; without a type argument, a node of any primitive. */
export type Node<K extends Primitive = Primitive> = {
  [P in K]: {
    readonly kind: P;
    readonly attributes: Signatures[P][0];
    readonly inputs: Signatures[P][1];
    readonly shape: Shape;
    readonly dtype: Dtype;
  };
}[K];

type None = Readonly<Record<string, never>>;
type Axes = { readonly axes: readonly number[]; readonly keepDims: boolean };
type Epsilon = { readonly epsilon: number };
type Unary = readonly [Tensor];
type Binary = readonly [Tensor, Tensor];

/** Attributes and inputs of every primitive. Elementwise primitives broadcast as in NumPy. */
type Signatures = {
  input: [{ readonly name: string }, readonly []];
  constant: [{ readonly values: ArrayLike<number> }, readonly []];
  stopGradient: [None, Unary];
  /** Identity on the first input. The others (f32) are computed before it, which fixes the order of execution. */
  after: [None, readonly [Tensor, ...(readonly Tensor[])]];
  widen: [None, Unary];
  add: [None, Binary];
  sub: [None, Binary];
  mul: [None, Binary];
  div: [None, Binary];
  maximum: [None, Binary];
  minimum: [None, Binary];
  /** Compares a > b; the result is bool. */
  greater: [None, Binary];
  /** Inputs: condition (bool), value if true, value if false. */
  where: [None, readonly [Tensor, Tensor, Tensor]];
  neg: [None, Unary];
  exp: [None, Unary];
  log: [None, Unary];
  sqrt: [None, Unary];
  sigmoid: [None, Unary];
  relu: [None, Unary];
  reluSquared: [None, Unary];
  /** Softmax over the last axis. */
  softmax: [None, Unary];
  logSoftmax: [None, Unary];
  /** x / √(mean(x²) + ε) over the last axis. */
  rmsNorm: [Epsilon, Unary];
  /** 1 / √(mean(x²) + ε) over the last axis, whose size becomes 1. */
  inverseRms: [Epsilon, Unary];
  /** Matrix product over the last two axes. Leading axes are broadcast. */
  matmul: [None, Binary];
  transpose: [{ readonly permutation: readonly number[] }, Unary];
  reshape: [None, Unary];
  broadcastTo: [None, Unary];
  /** Cumulative sum over the last axis: element i is x_0 + … + x_i. */
  cumulativeSum: [None, Unary];
  sum: [Axes, Unary];
  max: [Axes, Unary];
  /** Inputs: a table (V, …) and indices (i64). Returns the table's row at each index, as in an embedding lookup. */
  gather: [None, Binary];
  /** Inputs: indices (i64) and rows. Adds each row to a table of zeros at its index; the transpose of `gather`. */
  scatterRows: [None, Binary];
  /** Inputs: x (…, V) and indices (…, i64) into the last axis. Returns x at each index, with shape (…). */
  takeAlongLast: [None, Binary];
  /** Inputs: indices (…, i64), values (…). Writes into zeros along the last axis; the transpose of `takeAlongLast`. */
  scatterAlongLast: [None, Binary];
  concat: [{ readonly axis: number }, readonly Tensor[]];
  slice: [{ readonly axis: number; readonly start: number; readonly end: number }, Unary];
  /** Adds zeros before and after the elements of one axis. The transpose of slice. */
  pad: [{ readonly axis: number; readonly before: number; readonly after: number }, Unary];
};

export function freeze(node: Tensor): Tensor {
  return Object.freeze(node);
}

/** Returns a node with the same operation, whose inputs are replaced by inputs of equal shape and type. */
export function withInputs(node: Tensor, replace: (input: Tensor) => Tensor): Tensor {
  return freeze({ ...node, inputs: node.inputs.map(replace) } as Tensor);
}

/** 16-bit formats of stored tensors: `bf16` is the upper half of an f32, `f16` is IEEE binary16; f32 is exact. */
export type HalfFormat = "bf16" | "f16";

/** Converts 16-bit floats to single precision, exactly. */
export function widenBits(bits: Uint16Array, format: HalfFormat): Float32Array<ArrayBuffer> {
  if (format === "bf16") {
    const words = new Uint32Array(bits.length);
    for (let i = 0; i < bits.length; i++) words[i] = (bits[i] ?? 0) << 16;
    return new Float32Array(words.buffer);
  }
  const floats = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) floats[i] = fromHalf(bits[i] ?? 0);
  return floats;
}

/** Returns the value of an IEEE 754 binary16 number, which has a sign bit, five exponent bits and ten fraction bits. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
