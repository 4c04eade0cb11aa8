import { inputsFirst } from "#trainer/graph/backward.ts";
import type { Node, Primitive, Tensor } from "#trainer/graph/tensor.ts";
import { bfloat16, Model, onnxTypes, type Dialect, type FreeAxis, type StoredPlace } from "./model.ts";
import { encodeModel } from "./proto.ts";

const usualOpset = 18;
/** Operator set with BitCast, for graphs that need it: ONNX Runtime fuses fewer operators with it. */
const bitCastOpset = 26;
export type EncodeOptions = {
  readonly dialect?: Dialect;
  /** Maps the name of a graph output to its name in the ONNX model, which must differ from the names of all inputs. */
  readonly toOutput?: (name: string) => string;
  /** Axes whose lengths are known only at run time. */
  readonly freeAxes?: readonly FreeAxis[];
  /** Inputs whose values are stored in files beside the model. They become weights of the model. */
  readonly stored?: ReadonlyMap<string, StoredPlace>;
};

/** Encodes graphs, by output name, as one ONNX model. Subgraphs that occur several times are computed once. */
export function encode(
  outputs: Readonly<Record<string, Tensor>>,
  { dialect = "standard", toOutput = outputName, ...options }: EncodeOptions = {},
): Uint8Array {
  const model = new Model({ dialect, ...options });
  const names = new Map<Tensor, string>();
  const order = inputsFirst(Object.values(outputs));
  for (const node of order) {
    const inputs = node.inputs.map((source) => names.get(source) ?? "");
    names.set(node, emit(node, inputs, model));
  }
  for (const [name, node] of Object.entries(outputs)) {
    model.nodes.push({ opType: "Identity", input: [names.get(node) ?? ""], output: [toOutput(name)], attribute: [] });
  }
  return encodeModel(
    {
      name: "graph",
      node: model.nodes,
      initializer: [...model.initializers.values()],
      input: model.inputs,
      output: Object.entries(outputs).map(([name, { shape, dtype }]) => model.valueInfo(toOutput(name), shape, dtype)),
    },
    order.some(readsBits) ? bitCastOpset : usualOpset,
  );
}

function readsBits(node: Tensor): boolean {
  return node.kind === "widen" && node.inputs[0].dtype === "bf16";
}

/** Prefixes an output's name, because inputs and outputs share one name space in ONNX. Inputs keep their names. */
export function outputName(name: string): string {
  return `%out/${name}`;
}

type Emitter<K extends Primitive> = (node: Node<K>, inputs: readonly string[], model: Model) => string;

function emit<K extends Primitive>(node: Node<K>, inputs: readonly string[], model: Model): string {
  return emitters[node.kind](node, inputs, model);
}

const emitters: { readonly [K in Primitive]: Emitter<K> } = {
  input: (node, _, model) => model.input(node.attributes.name, node.shape, node.dtype),
  constant: (node, _, model) => model.constant(node.attributes.values, node.shape, node.dtype),
  stopGradient: (_, [x = ""]) => x,
  after: (node, [x = "", ...others], model) => {
    // `after` is encoded as a selection of a table's only row. Its index is always 0 but depends on the other inputs,
    // which no optimizer detects.
    const zero = model.integers([0]);
    const firsts = others.map((other) =>
      model.op("Slice", [model.reshape(other, [-1]), zero, model.integers([1]), zero]),
    );
    const most = model.op("ReduceMax", [model.op("Concat", firsts, { axis: 0 }), zero], { keepdims: 1 });
    const index = model.op("Where", [model.op("Greater", [most, model.constant([0], [], "f32")]), zero, zero]);
    const table = model.reshape(x, [1, ...node.shape]);
    return model.reshape(model.op("Gather", [table, index], { axis: 0 }), node.shape);
  },
  widen: (node, [x = ""], model) => {
    const numbers = readsBits(node) ? model.op("BitCast", [x], { to: bfloat16 }) : x;
    return model.op("Cast", [numbers], { to: onnxTypes.f32 });
  },
  add: elementwise("Add"),
  sub: elementwise("Sub"),
  mul: elementwise("Mul"),
  div: elementwise("Div"),
  maximum: elementwise("Max"),
  minimum: elementwise("Min"),
  greater: as("Greater"),
  where: as("Where"),
  neg: as("Neg"),
  exp: as("Exp"),
  log: as("Log"),
  sqrt: as("Sqrt"),
  cumulativeSum: (_, [x = ""], model) => model.op("CumSum", [x, model.constant([-1], [], "i64")]),
  sigmoid: as("Sigmoid"),
  relu: as("Relu"),
  reluSquared: (_, inputs, model) => {
    const positive = model.op("Relu", inputs);
    return model.op("Mul", [positive, positive]);
  },
  softmax: (_, inputs, model) => model.op("Softmax", inputs, { axis: -1 }),
  logSoftmax: (_, inputs, model) => logSoftmax(inputs, model),
  rmsNorm: (node, inputs, model) => rmsNorm(node, inputs, model).normal,
  inverseRms: (node, inputs, model) => rmsNorm(node, inputs, model).inverse,
  matmul: as("MatMul"),
  transpose: (node, inputs, model) => model.op("Transpose", inputs, { perm: node.attributes.permutation }),
  reshape: (node, [x = ""], model) => model.reshape(x, node.shape),
  broadcastTo: (node, [x = ""], model) => model.op("Expand", [x, model.integers(node.shape)]),
  sum: (node, [x = ""], model) => reduce("ReduceSum", [x, model.integers(node.attributes.axes)], [node, model]),
  max: (node, [x = ""], model) => reduce("ReduceMax", [x, model.integers(node.attributes.axes)], [node, model]),
  gather: (_, inputs, model) => model.op("Gather", inputs, { axis: 0 }),
  scatterRows: (node, [indices = "", rows = ""], model) => {
    const columns = model.reshape(indices, [...node.inputs[0].shape, 1]);
    return model.op("ScatterND", [model.zeros(node.shape), columns, rows], { reduction: "add" });
  },
  takeAlongLast: (node, [x = "", indices = ""], model) => {
    const columns = model.reshape(indices, [...node.shape, 1]);
    return model.reshape(model.op("GatherElements", [x, columns], { axis: -1 }), node.shape);
  },
  scatterAlongLast: (node, inputs, model) => {
    const [indices = "", values = ""] = inputs.map((x) => model.reshape(x, [...node.inputs[0].shape, 1]));
    return model.op("ScatterElements", [model.zeros(node.shape), indices, values], { axis: -1 });
  },
  concat: (node, inputs, model) => model.op("Concat", inputs, { axis: node.attributes.axis }),
  slice: (node, [x = ""], model) => {
    const { start, end, axis } = node.attributes;
    return model.op("Slice", [x, ...[start, end, axis].map((i) => model.integers([i]))]);
  },
  pad: (node, [x = ""], model) => {
    const { before, after, axis } = node.attributes;
    return model.op("Pad", [
      x,
      model.integers([before, after]),
      model.constant([0], [], "f32"),
      model.integers([axis]),
    ]);
  },
};

function as(opType: string): (node: Tensor, inputs: readonly string[], model: Model) => string {
  return (_, inputs, model) => model.op(opType, inputs);
}

/**
 * Encodes an elementwise operator. If the last axis has size 1, a scalar becomes a constant with the last two axes,
 * because ONNX Runtime would broadcast a scalar element by element, at 30 ns each.
 */
function elementwise(opType: string): (node: Tensor, inputs: readonly string[], model: Model) => string {
  return (node, inputs, model) => {
    const [numRows = 1, width] = node.shape.slice(-2);
    const widened = node.inputs.map((source, i) => {
      const [value] =
        source.kind === "constant" && source.shape.length === 0 ? Array.from(source.attributes.values) : [];
      return value !== undefined && width === 1 && numRows > 1 ? model.filled(value, [numRows, 1]) : (inputs[i] ?? "");
    });
    return model.op(opType, widened);
  };
}

/** WebGPU lacks LogSoftmax and would move all logits to the CPU, so it gets simpler operators. */
function logSoftmax(inputs: readonly string[], model: Model): string {
  if (model.dialect === "cpu") return model.op("LogSoftmax", inputs, { axis: -1 });
  const [axes, [x = ""]] = [model.integers([-1]), inputs];
  const below = model.op("Sub", [x, model.op("ReduceMax", [x, axes], { keepdims: 1 })]);
  const total = model.op("ReduceSum", [model.op("Exp", [below]), axes], { keepdims: 1 });
  return model.op("Sub", [below, model.op("Log", [total])]);
}

/** `rmsNorm` (result `normal`) and `inverseRms` (`inverse`): the CPU provider has one operator for both. */
function rmsNorm(
  node: Node<"rmsNorm" | "inverseRms">,
  [x = ""]: readonly string[],
  model: Model,
): { normal: string; inverse: string } {
  const { epsilon } = node.attributes;
  const width = node.inputs[0].shape.at(-1) ?? 1;
  if (model.dialect === "cpu") {
    const attributes = { axis: -1, epsilon: { float: epsilon } };
    const input = [x, model.filled(1, [width])];
    const normal = model.apply({ opType: "SimplifiedLayerNormalization", input, attributes, more: [":inverse"] });
    return { normal, inverse: `${normal}:inverse` };
  }
  const meanSquare = model.op("ReduceMean", [model.op("Mul", [x, x]), model.integers([-1])], { keepdims: 1 });
  const root = model.op("Sqrt", [model.op("Add", [meanSquare, model.constant([epsilon], [], "f32")])]);
  const inverse = model.op("Reciprocal", [root]);
  return { normal: model.op("Mul", [x, inverse]), inverse };
}

function reduce(
  opType: string,
  inputs: readonly string[],
  [node, model]: readonly [Node<"sum" | "max">, Model],
): string {
  return model.op(opType, inputs, { keepdims: Number(node.attributes.keepDims) });
}
