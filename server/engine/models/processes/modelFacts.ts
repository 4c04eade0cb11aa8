import { setPriority } from "node:os";
import { z } from "zod";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { answerFacts, type FactsRequest } from "../modelReader.ts";

/**
 * Process that reads model configurations for the web app. It is separate because requests can name any folder to read.
 */

// A low priority (5) leaves the processor to pages on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(async () => answerFacts(z.custom<FactsRequest>().parse(request))));
