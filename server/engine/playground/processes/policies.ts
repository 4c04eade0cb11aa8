import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { split } from "#trainer/spec/rng.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { usePolicy } from "../policies.ts";
import { propose } from "../propose.ts";
import { ProposalRequest } from "../requests.ts";

/** Process that runs finished runs' policies for the web app: a forward pass blocks the event loop. */

// A low priority (nice value 5) keeps the web app responsive on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(() => answer(ProposalRequest.parse(request))));

async function answer({ files, position, temperature, maxResponseTokens, stream }: ProposalRequest): Promise<unknown> {
  const rng = split(stream.seed, "play", stream.turn, stream.draw);
  return usePolicy(files, (policy) => propose(policy, position, { temperature, maxResponseTokens, rng }));
}
