import { setPriority } from "node:os";
import { z } from "zod";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/processes/answers.ts";
import { answerFacts, type FactsRequest } from "../factsRequest.ts";

/** A process of the web app that reads models' configurations: a page names their folders, and nobody knows what is there. */

// Pages come first where processors are few.
setPriority(5);
serve((request) => answerOrRefuse(async () => answerFacts(z.custom<FactsRequest>().parse(request))));
