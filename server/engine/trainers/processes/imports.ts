import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { ReadRequest, readImport } from "../readImport.ts";

/** Process that reads imported files for the web app. It is separate: a large file would block the event loop. */

// A low priority (5) leaves the processor to pages on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(() => readImport(ReadRequest.parse(request))));
