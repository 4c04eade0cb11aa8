import { setPriority } from "node:os";
import { z } from "zod";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { answerFacts, type FactsRequest } from "../modelReader.ts";

/**
 * Process that reads model configurations for the web app. It is separate because requests name the folders to read.
 */

// Pages have priority on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(async () => answerFacts(z.custom<FactsRequest>().parse(request))));
