import { gradients } from "#trainer/graph/backward.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { makeSession, mapValues, type Feeds, type SessionOptions } from "#trainer/onnx/session.ts";

type GradientResult<Name extends string> = {
  readonly loss: number;
  readonly outputs: Record<Name, Float32Array>;
  /** By parameter name, in the shape of the parameter. */
  readonly gradients: Record<string, Float32Array>;
};

export type GradientSession<Name extends string> = {
  readonly run: (feeds: Feeds) => Promise<GradientResult<Name>>;
  readonly close: () => Promise<void>;
};

/** What to differentiate (a scalar), with respect to what, and what else to read from the same pass. */
export type GradientGraph<Name extends string> = {
  readonly loss: Tensor;
  readonly wrt: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<Name, Tensor>>;
  /** What the forward pass leaves for the backward pass, in order; all of it without them. */
  readonly kept?: readonly Tensor[];
};

/** Compiles loss, extra outputs and gradients into one session for the static shapes of the graph. */
export async function makeGradientSession<Name extends string>(
  { loss, wrt, outputs, kept }: GradientGraph<Name>,
  options: SessionOptions = {},
): Promise<GradientSession<Name>> {
  const slopes = gradients(loss, Object.values(wrt), kept);
  const all = new Map<string, Tensor>([["loss", loss]]);
  for (const [name, tensor] of Object.entries<Tensor>(outputs)) all.set(`output/${name}`, tensor);
  for (const [i, name] of Object.keys(wrt).entries()) all.set(`gradient/${name}`, slopes[i] ?? loss);
  const session = await makeSession(Object.fromEntries(all), options);
  return {
    async run(feeds) {
      const results = await session.run(feeds);
      return {
        loss: results["loss"]?.[0] ?? NaN,
        outputs: mapValues(outputs, (_, name) => results[`output/${name}`] ?? new Float32Array()),
        gradients: mapValues(wrt, (_, name) => results[`gradient/${name}`] ?? new Float32Array()),
      };
    },
    close: session.close,
  };
}
