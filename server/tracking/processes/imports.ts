import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/processes/answers.ts";
import { ReadRequest, readImport } from "../readImport.ts";

/** A process of the web app that reads imported files: a large one leaves nobody else a turn meanwhile. */

// Pages come first where processors are few.
setPriority(5);
serve((request) => answerOrRefuse(() => readImport(ReadRequest.parse(request))));
