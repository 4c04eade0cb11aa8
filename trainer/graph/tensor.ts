/**
 * A tensor is a frozen node of a computation: the operation (`kind`, `attributes`), its `inputs`, and the static shape
 * and type of the result. Nothing is computed here; `interpret` and `trainer/onnx` do that.
 */
export type Tensor = Node;
/** Types of elements. 16-bit floats are only stored, never computed with: `widen` converts them to f32. */
export type Dtype = "f32" | HalfFormat | "i64" | "bool";
export type Shape = readonly number[];
export type Primitive = keyof Signatures;

/** One kind of node, or the union of all of them. */
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

/** Every primitive with its attributes and inputs. Elementwise ones broadcast as in NumPy. */
type Signatures = {
  input: [{ readonly name: string }, readonly []];
  constant: [{ readonly values: ArrayLike<number> }, readonly []];
  stopGradient: [None, Unary];
  /** The first input, scheduled after the others (f32). */
  after: [None, readonly [Tensor, ...(readonly Tensor[])]];
  /** 16-bit floats converted to f32. */
  widen: [None, Unary];
  add: [None, Binary];
  sub: [None, Binary];
  mul: [None, Binary];
  div: [None, Binary];
  maximum: [None, Binary];
  minimum: [None, Binary];
  /** a > b, as bool. */
  greater: [None, Binary];
  /** condition (bool), value if true, value if false. */
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
  /** 1 / √(mean(x²) + ε) over the last axis, which becomes 1. */
  inverseRms: [Epsilon, Unary];
  /** Product of the last two axes; leading axes broadcast. */
  matmul: [None, Binary];
  transpose: [{ readonly permutation: readonly number[] }, Unary];
  reshape: [None, Unary];
  broadcastTo: [None, Unary];
  /** Cumulative sum over the last axis, each element included. */
  cumulativeSum: [None, Unary];
  sum: [Axes, Unary];
  max: [Axes, Unary];
  /** table (V, …) and indices (…, i64): rows of the table. */
  gather: [None, Binary];
  /** indices (…, i64) and rows (…, …): adds the rows at their indices into zeros. The transpose of gather. */
  scatterRows: [None, Binary];
  /** x (…, V) and indices (…, i64): one element of each last axis. */
  takeAlongLast: [None, Binary];
  /** indices (…, i64) and values (…): one element set in each last axis of zeros. The transpose of takeAlongLast. */
  scatterAlongLast: [None, Binary];
  concat: [{ readonly axis: number }, readonly Tensor[]];
  slice: [{ readonly axis: number; readonly start: number; readonly end: number }, Unary];
  /** Zeros before and after along one axis. The transpose of slice. */
  pad: [{ readonly axis: number; readonly before: number; readonly after: number }, Unary];
};

export function freeze(node: Tensor): Tensor {
  return Object.freeze(node);
}

/** The same operation on other inputs of equal shapes and types. */
export function withInputs(node: Tensor, replace: (input: Tensor) => Tensor): Tensor {
  return freeze({ ...node, inputs: node.inputs.map(replace) } as Tensor);
}

/** 16-bit formats: the upper half of single precision, or IEEE 754 binary16. Both are exact in f32. */
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

/** IEEE 754 binary16: a sign, five bits of exponent, ten of fraction. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
