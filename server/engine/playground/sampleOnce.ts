import { makeSampler, type Response, type SampleRequest, type SamplerLimits } from "#trainer/policy/decode.ts";
import type { OpenModel } from "./models.ts";

type Asked = Omit<SampleRequest, "parameters" | "stopTokens">;

/** Samples responses of a model and releases its graphs, which use as much memory as the prefill. */
export async function sampleOnce(
  { config, tokenizer, parameters }: OpenModel,
  limits: SamplerLimits,
  asked: Asked,
): Promise<Response[]> {
  const sampler = makeSampler(config, limits);
  try {
    return await sampler.sample({ ...asked, parameters, stopTokens: tokenizer.stopTokens });
  } finally {
    await sampler.close();
  }
}
