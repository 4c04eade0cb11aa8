import { makeSampler, type Response, type SampleRequest, type SamplerLimits } from "#trainer/policy/decode.ts";
import type { OpenModel } from "./models.ts";

type Asked = Omit<SampleRequest, "parameters" | "stopTokens">;

/** Responses of a model. Its graphs are let go afterwards: they hold as much as reading the prompts took. */
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
