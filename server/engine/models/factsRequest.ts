import type { CellSpec } from "#trainer/spec/run.ts";
import { describeModels, listForbidden, readModelSizes, type ModelPlaces, type Specified } from "./describeModel.ts";

/** A request of the web app to the process that reads models. */
export type FactsRequest = { places: ModelPlaces } & (
  | { kind: "facts"; specs: readonly Specified[] }
  | { kind: "forbidden"; names: readonly string[] }
  | { kind: "sizes"; cells: readonly { spec: Pick<CellSpec, "policy"> }[] }
);

export function answerFacts(request: FactsRequest) {
  const { places } = request;
  switch (request.kind) {
    case "facts":
      return describeModels(request.specs, places);
    case "forbidden":
      return listForbidden(request.names, places);
    case "sizes":
      return readModelSizes(request.cells, places);
  }
}
