import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { ReadRequest, readImport } from "../import/readImport.ts";

/** Separate process that reads imported files for the web app, because a large file would block the event loop. */

// A low priority (nice value 5) keeps the web app responsive on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(() => readImport(ReadRequest.parse(request))));
