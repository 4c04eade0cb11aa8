import { z } from "zod";
import type { Database } from "#server/db/storage/client.ts";
import { analyse } from "../analyst/analyses.ts";
import type { AnalysisInput, AnalysisResult, Analyst } from "../analyst/analyst.ts";
import type { AnalysisName } from "#server/domain/analysis/analyses.ts";

/** Creates a service that performs analyses in this process instead of a separate one, for tests of API procedures. */
export function makeAnalystHere(database: Database): Analyst {
  const ask = <Name extends AnalysisName>(name: Name, input: AnalysisInput<Name>) =>
    analyse(database, name, input).then((value) => z.custom<AnalysisResult<Name>>().parse(value));
  return {
    ask,
    askAhead: ask,
    progressOf: () => null,
    renew: () => {},
    close: () => {},
  };
}
