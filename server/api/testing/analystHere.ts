import { z } from "zod";
import type { Database } from "#server/db/client.ts";
import { analyse } from "../analysis/analyses.ts";
import type { AnalysisInput, AnalysisResult, Analyst } from "../analysis/analyst.ts";
import type { AnalysisName } from "#server/domain/analyses.ts";

/** Does analyses in this process: a test of procedures needs no other. */
export function makeAnalystHere(database: Database): Analyst {
  return {
    ask: <Name extends AnalysisName>(name: Name, input: AnalysisInput<Name>) =>
      analyse(database, name, input).then((value) => z.custom<AnalysisResult<Name>>().parse(value)),
    progressOf: () => null,
    renew: () => {},
    close: () => {},
  };
}
