import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { split } from "#trainer/spec/rng.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { useModel } from "../models.ts";
import { proposeText } from "../proposeText.ts";
import { TextRequest } from "../requests.ts";

/** Process that runs language models for the web app: a model may use nearly all of the machine's memory. */

// A low priority (nice value 5) keeps the web app responsive on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(() => answer(TextRequest.parse(request))));

async function answer(request: TextRequest): Promise<unknown> {
  const { model, memoryBytes, position, temperature, maxResponseTokens, stream } = request;
  const rng = split(stream.seed, "play", stream.turn, stream.draw);
  return useModel(model, memoryBytes, (open) => proposeText(open, position, { temperature, maxResponseTokens, rng }));
}
