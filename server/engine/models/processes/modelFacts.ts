import { setPriority } from "node:os";
import { z } from "zod";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { answerFacts, type FactsRequest } from "../modelReader.ts";

/** Separate process that reads model configurations for the web app, because a request can name any folder to read. */

// A low priority (nice value 5) keeps the web app responsive on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(async () => answerFacts(z.custom<FactsRequest>().parse(request))));
