import protobuf from "protobufjs/light.js";
import { z } from "zod";

/** Messages of onnx.proto (ONNX 1.14, IR version 9) that graphs of standard operators need. */
const root = protobuf.Root.fromJSON({
  nested: {
    ModelProto: message({
      irVersion: ["int64", 1],
      producerName: ["string", 2],
      graph: ["GraphProto", 7],
      opsetImport: ["OperatorSetIdProto[]", 8],
    }),
    OperatorSetIdProto: message({ domain: ["string", 1], version: ["int64", 2] }),
    GraphProto: message({
      node: ["NodeProto[]", 1],
      name: ["string", 2],
      initializer: ["TensorProto[]", 5],
      input: ["ValueInfoProto[]", 11],
      output: ["ValueInfoProto[]", 12],
    }),
    NodeProto: message({
      input: ["string[]", 1],
      output: ["string[]", 2],
      name: ["string", 3],
      opType: ["string", 4],
      attribute: ["AttributeProto[]", 5],
    }),
    AttributeProto: message({
      name: ["string", 1],
      f: ["float", 2],
      i: ["int64", 3],
      s: ["bytes", 4],
      ints: ["int64[]", 8],
      type: ["int32", 20],
    }),
    TensorProto: message({
      dims: ["int64[]", 1],
      dataType: ["int32", 2],
      name: ["string", 8],
      rawData: ["bytes", 9],
      externalData: ["StringStringEntryProto[]", 13],
      dataLocation: ["int32", 14],
    }),
    StringStringEntryProto: message({ key: ["string", 1], value: ["string", 2] }),
    ValueInfoProto: message({ name: ["string", 1], type: ["TypeProto", 2] }),
    TypeProto: message({ tensorType: ["TensorTypeProto", 1] }),
    TensorTypeProto: message({ elemType: ["int32", 1], shape: ["TensorShapeProto", 2] }),
    TensorShapeProto: message({ dim: ["DimensionProto[]", 1] }),
    DimensionProto: message({ dimValue: ["int64", 1], dimParam: ["string", 2] }),
  },
});

export type NodeProto = {
  readonly opType: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly attribute: readonly AttributeProto[];
};
export type AttributeProto = { readonly name: string; readonly type: number } & (
  | { readonly f: number }
  | { readonly i: number }
  | { readonly s: Uint8Array }
  | { readonly ints: readonly number[] }
);
export type TensorProto = {
  readonly name: string;
  readonly dims: readonly number[];
  readonly dataType: number;
} & (
  | { readonly rawData: Uint8Array }
  | {
      /** Fields `location`, `offset` and `length`: the position of the tensor's values in a file beside the model. */
      readonly externalData: readonly { readonly key: string; readonly value: string }[];
      /** The value 1 means that the tensor's values are in the file named by `externalData`. */
      readonly dataLocation: 1;
    }
);
export type ValueInfoProto = {
  readonly name: string;
  readonly type: {
    readonly tensorType: {
      readonly elemType: number;
      readonly shape: { readonly dim: readonly ({ readonly dimValue: number } | { readonly dimParam: string })[] };
    };
  };
};
export type GraphProto = {
  readonly name: string;
  readonly node: readonly NodeProto[];
  readonly initializer: readonly TensorProto[];
  readonly input: readonly ValueInfoProto[];
  readonly output: readonly ValueInfoProto[];
};

/** Encodes a graph as an ONNX file with the standard operator set of version `opset`. */
export function encodeModel(graph: GraphProto, opset: number): Uint8Array {
  const model = { irVersion: 9, producerName: "arlarena-studio", graph, opsetImport: [{ domain: "", version: opset }] };
  return root.lookupType("ModelProto").encode(model).finish();
}

/** Returns the weights of an ONNX file that are stored in single precision. */
export function decodeInitializers(file: Uint8Array): { name: string; values: Float32Array }[] {
  const type = root.lookupType("ModelProto");
  const { graph } = Weighted.parse(type.toObject(type.decode(file)));
  return graph.initializer.flatMap(({ name, dataType, rawData }) =>
    dataType === 1 ? [{ name, values: new Float32Array(Uint8Array.from(rawData).buffer) }] : [],
  );
}

const Weighted = z.object({
  graph: z.object({
    initializer: z.array(z.object({ name: z.string(), dataType: z.int(), rawData: z.instanceof(Uint8Array) })),
  }),
});

/** Declares a protobuf message type. A field of type `type[]` is repeated, unpacked as in proto2. */
function message(fields: Record<string, readonly [type: string, id: number]>): protobuf.IType {
  const entries = Object.entries(fields).map(([name, [type, id]]): [string, protobuf.IField] => {
    const isRepeated = type.endsWith("[]");
    if (!isRepeated) return [name, { type, id }];
    return [name, { type: type.slice(0, -2), id, rule: "repeated", options: { packed: false } }];
  });
  return { fields: Object.fromEntries(entries) };
}
