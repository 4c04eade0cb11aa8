import { numElements } from "#trainer/graph/shape.ts";
import type { Dtype, Shape } from "#trainer/graph/tensor.ts";
import type { AttributeProto, NodeProto, TensorProto, ValueInfoProto } from "./proto.ts";

/** Operators available to a graph: only those of the ONNX standard, or also those of ONNX Runtime's CPU provider. */
export type Dialect = "standard" | "cpu";

/** Axis of a length known only at run time. Its size is `marker`, with a prime factor that no other size has. */
export type FreeAxis = {
  readonly name: string;
  readonly marker: number;
  /** Name of an input that has this axis, and the axis's index in that input's shape. */
  readonly of: readonly [input: string, axis: number];
};

/** Position of a tensor's little-endian values in a file beside the ONNX model. */
export type StoredPlace = { readonly file: string; readonly offset: number; readonly bytes: number };

/** Maximum number of zeros stored in the ONNX file itself; 2^22 are 16 MB. */
const maxStoredZeros = 2 ** 22;

type Attributes = Readonly<Record<string, number | string | readonly number[] | { readonly float: number }>>;
type Operator = { opType: string; input: readonly string[]; attributes: Attributes; more: readonly string[] };
type ModelOptions = {
  dialect: Dialect;
  freeAxes?: readonly FreeAxis[] | undefined;
  stored?: ReadonlyMap<string, StoredPlace> | undefined;
};
export class Model {
  readonly dialect: Dialect;
  readonly nodes: NodeProto[] = [];
  readonly inputs: ValueInfoProto[] = [];
  readonly initializers = new Map<string, TensorProto>();
  readonly #freeAxes: readonly FreeAxis[];
  readonly #stored: ReadonlyMap<string, StoredPlace>;
  readonly #inputTypes = new Map<string, string>();
  readonly #known = new Map<string, string>();
  readonly #arrays = new Map<ArrayLike<number>, number>();

  constructor({ dialect, freeAxes = [], stored = new Map<string, StoredPlace>() }: ModelOptions) {
    this.dialect = dialect;
    this.#freeAxes = freeAxes;
    this.#stored = stored;
  }

  /** Adds an operator and returns the name of its result; the same operator on the same inputs is added once. */
  op(opType: string, input: readonly string[], attributes: Attributes = {}): string {
    return this.apply({ opType, input, attributes, more: [] });
  }

  /** Adds an operator with several results and returns the name of the first; the others have a suffix. */
  apply({ opType, input, attributes, more }: Operator): string {
    const key = JSON.stringify([opType, input, attributes]);
    const name = this.#known.get(key) ?? `%t${this.nodes.length}`;
    const output = [name, ...more.map((suffix) => suffix && `${name}${suffix}`)];
    if (!this.#known.has(key)) this.nodes.push({ opType, input, output, attribute: toAttributes(attributes) });
    this.#known.set(key, name);
    return name;
  }

  input(name: string, shape: Shape, dtype: Dtype): string {
    const key = `${dtype}[${shape.join()}]`;
    const first = this.#inputTypes.get(name) ?? key;
    if (first !== key) throw new RangeError(`input "${name}" is both ${first} and ${key}`);
    const place = this.#stored.get(name);
    if (place) this.initializers.set(`stored ${name}`, storedTensor(name, { shape, dtype, place }));
    else if (!this.#inputTypes.has(name)) this.inputs.push(this.valueInfo(name, shape, dtype));
    this.#inputTypes.set(name, key);
    return name;
  }

  /** Equal small constants are shared; large ones only if they are the same array. */
  constant(values: ArrayLike<number>, shape: Shape, dtype: Dtype): string {
    if (!this.#arrays.has(values)) this.#arrays.set(values, this.#arrays.size);
    const content = values.length <= 16 ? Array.from(values, String).join() : `#${this.#arrays.get(values)}`;
    const key = `${dtype}[${shape.join()}]${content}`;
    return this.#add(key, { dims: shape, dataType: onnxTypes[dtype], rawData: toBytes(values, dtype) });
  }

  filled(value: number, shape: Shape): string {
    const rawData = new Uint8Array(new Float32Array(numElements(shape)).fill(value).buffer);
    return this.#add(`${value}[${shape.join()}]`, { dims: shape, dataType: onnxTypes.f32, rawData });
  }

  /** Adds a tensor of zeros. A large one is created when the graph runs, because model files are limited to 2 GB. */
  zeros(shape: Shape): string {
    if (numElements(shape) <= maxStoredZeros) return this.filled(0, shape);
    return this.op("ConstantOfShape", [this.integers(shape)]);
  }

  /** Vector of sizes or indices. Lengths known only at run time are computed from the inputs' shapes. */
  integers(values: readonly number[]): string {
    if (!values.some((value) => this.#isFree(value))) return this.constant(values, [values.length], "i64");
    const sizes = values.map((value) => this.#size(value));
    return this.op("Concat", sizes, { axis: 0 });
  }

  reshape(x: string, shape: Shape): string {
    return this.op("Reshape", [x, this.integers(shape)]);
  }

  valueInfo(name: string, shape: Shape, dtype: Dtype): ValueInfoProto {
    const dim = shape.map((size) => {
      const free = this.#freeAxes.find(({ marker }) => marker === size);
      return free ? { dimParam: free.name } : { dimValue: size };
    });
    return { name, type: { tensorType: { elemType: onnxTypes[dtype], shape: { dim } } } };
  }

  #size(value: number): string {
    const { axes, factor } = findFreeAxes(value, this.#freeAxes);
    const lengths = axes.map(({ of: [input, axis] }) =>
      this.op("Gather", [this.op("Shape", [input]), this.integers([axis])], { axis: 0 }),
    );
    return lengths.reduce((product, length) => this.op("Mul", [product, length]), this.integers([factor]));
  }

  #isFree(size: number): boolean {
    return findFreeAxes(size, this.#freeAxes).axes.length > 0;
  }

  #add(key: string, constant: Constant): string {
    const { dims } = constant;
    if (dims.some((size) => this.#isFree(size))) {
      throw new RangeError(`a constant of shape (${dims.join(", ")}) has an axis that only a run knows`);
    }
    const name = this.initializers.get(key)?.name ?? `%c${this.initializers.size}`;
    this.initializers.set(key, { name, ...constant });
    return name;
  }
}

type Constant = { dims: Shape; dataType: number; rawData: Uint8Array };

function findFreeAxes(size: number, freeAxes: readonly FreeAxis[]): { axes: FreeAxis[]; factor: number } {
  const axes: FreeAxis[] = [];
  let factor = size;
  for (const axis of freeAxes) {
    for (; factor > 0 && factor % axis.marker === 0; factor /= axis.marker) axes.push(axis);
  }
  return { axes, factor };
}

export const bfloat16 = 16;
/** Number of each element type in onnx.proto; bf16 has that of uint16, since the Node.js binding lacks bfloat16. */
export const onnxTypes: Readonly<Record<Dtype, number>> = { f32: 1, bf16: 4, f16: 10, i64: 7, bool: 9 };

type Stored = { shape: Shape; dtype: Dtype; place: StoredPlace };

function storedTensor(name: string, { shape, dtype, place: { file, offset, bytes } }: Stored): TensorProto {
  const externalData = [
    { key: "location", value: file },
    { key: "offset", value: `${offset}` },
    { key: "length", value: `${bytes}` },
  ];
  return { name, dims: shape, dataType: onnxTypes[dtype], externalData, dataLocation: 1 };
}

function toAttributes(attributes: Attributes): AttributeProto[] {
  return Object.entries(attributes).map(([name, value]) => {
    if (typeof value === "number") return { name, type: 2, i: value };
    if (typeof value === "string") return { name, type: 3, s: new TextEncoder().encode(value) };
    if ("float" in value) return { name, type: 1, f: value.float };
    return { name, type: 7, ints: value };
  });
}

function toBytes(values: ArrayLike<number>, dtype: Dtype): Uint8Array {
  switch (dtype) {
    case "f32":
      return new Uint8Array(Float32Array.from(values).buffer);
    case "bf16":
    case "f16":
      return new Uint8Array(Uint16Array.from(values).buffer);
    case "i64":
      return new Uint8Array(BigInt64Array.from(Array.from(values, BigInt)).buffer);
    case "bool":
      return Uint8Array.from(values);
  }
}
