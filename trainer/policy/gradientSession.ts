import { gradients } from "#trainer/graph/backward.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { DeviceTensor } from "#trainer/onnx/deviceTensor.ts";
import { makeResidentSession, mapValues, type Feeds, type SessionOptions } from "#trainer/onnx/session.ts";

type GradientResult<Name extends string, Values> = {
  readonly loss: number;
  readonly outputs: Record<Name, Float32Array>;
  /** Gradients of the loss by parameter name, in the shape of the parameter. */
  readonly gradients: Record<string, Values>;
};

export type GradientSession<Name extends string, Values = Float32Array> = {
  readonly run: (feeds: Feeds) => Promise<GradientResult<Name, Values>>;
  readonly close: () => Promise<void>;
};

/** Scalar loss, tensors `wrt` by which it is differentiated, and additional outputs of the forward pass. */
export type GradientGraph<Name extends string> = {
  readonly loss: Tensor;
  readonly wrt: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<Name, Tensor>>;
  /** Activations stored for the backward pass, in order (gradient checkpointing); undefined: all. */
  readonly kept?: readonly Tensor[];
};

/** Compiles the loss, its gradients and the additional outputs into one session. */
export async function makeGradientSession<Name extends string>(
  graph: GradientGraph<Name>,
  options: SessionOptions = {},
): Promise<GradientSession<Name>> {
  const { read, slopes } = toGraphs(graph);
  const session = await makeResidentSession({ ...read, ...slopes }, {}, options);
  return {
    run: async (feeds) => {
      const { read: results } = await session.run(feeds);
      return toResult(graph, results, (name) => results[name] ?? new Float32Array());
    },
    close: session.close,
  };
}

/** Like `makeGradientSession`, but gradients stay on the device, and the caller must close them. */
export async function makeResidentGradientSession<Name extends string>(
  graph: GradientGraph<Name>,
  options: SessionOptions,
): Promise<GradientSession<Name, DeviceTensor>> {
  const { read, slopes } = toGraphs(graph);
  const session = await makeResidentSession(read, slopes, options);
  return {
    run: async (feeds) => {
      const { read: results, kept } = await session.run(feeds);
      return toResult(graph, results, (name) => {
        const slope = kept[name];
        if (!slope) throw new Error(`no output "${name}"`);
        return slope;
      });
    },
    close: session.close,
  };
}

function toGraphs({ loss, wrt, outputs, kept }: GradientGraph<string>) {
  const slopes = gradients(loss, Object.values(wrt), kept);
  const read = new Map<string, Tensor>([["loss", loss]]);
  for (const [name, tensor] of Object.entries(outputs)) read.set(`output/${name}`, tensor);
  return {
    read: Object.fromEntries(read),
    slopes: Object.fromEntries(Object.keys(wrt).map((name, i) => [`gradient/${name}`, slopes[i] ?? loss])),
  };
}

function toResult<Name extends string, Values>(
  { wrt, outputs }: GradientGraph<Name>,
  results: Readonly<Record<string, Float32Array>>,
  slopeOf: (name: string) => Values,
): GradientResult<Name, Values> {
  return {
    loss: results["loss"]?.[0] ?? NaN,
    outputs: mapValues(outputs, (_, name) => results[`output/${name}`] ?? new Float32Array()),
    gradients: mapValues(wrt, (_, name) => slopeOf(`gradient/${name}`)),
  };
}
