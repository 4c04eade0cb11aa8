import { z } from "zod";
import { type Limits, makeConfined } from "#trainer/confined/confine.ts";
import { readHubSettings } from "#trainer/policy/hub/settings.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { makePool, type Pool, processArgs } from "#server/engine/processes/pool.ts";
import { AppError } from "#packages/base";
import type { Space } from "#server/domain/plan/search/space.ts";
import type { ModelSizes } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { valueOfAnswer } from "#server/engine/processes/answers.ts";
import { listForbidden, type ModelPlaces, readModelSizes } from "./describeModel.ts";
import { namesOfSpace, refuseForbidden } from "./expandChecked.ts";
import type { ModelFolders } from "./modelFolders.ts";

const gibibyte = 2 ** 30;
/** Limits of one request. Reading takes a millisecond, or seconds on a network file system. */
const limits: Limits = { cpuMs: 5_000, wallMs: 20_000, memoryBytes: gibibyte };
const poolLimits = { size: 1, maxWaiting: 16, what: "requests for models", idleMs: 5 * 60_000 };

declare global {
  // Next.js loads a module once per bundle, so a pool in the module would exist several times.
  var arlarenaModelReader: Pool | undefined;
}

/** Throws `bad_input` if a hyperparameter search could sample a model from a folder that is not allowed. */
export async function refuseFolders(space: Space, path: string, folders: () => ModelFolders): Promise<void> {
  const names = namesOfSpace(space);
  if (names.length === 0) return;
  const answer = await ask({ kind: "forbidden", names, places: placesOf(folders()) });
  refuseForbidden(z.record(z.string(), z.string()).parse(answer), path);
}

/** Reads sizes like `readModelSizes`, in a separate process. The cells' folders were checked at launch. */
export async function readLaunchedSizes(cells: readonly { spec: Pick<CellSpec, "policy"> }[]): Promise<ModelSizes> {
  const named = new Map(cells.map(({ spec: { policy } }) => [policy.pretrained, { spec: { policy } }]));
  named.delete(undefined);
  if (named.size === 0) return {};
  return z
    .custom<ModelSizes>()
    .parse(await ask({ kind: "sizes", cells: [...named.values()], places: placesOf("any") }));
}

/** Adds the Hugging Face cache, because the separate process receives no environment variables. */
function placesOf(folders: ModelFolders) {
  return { folders, cacheFolder: readHubSettings().cacheFolder };
}

async function ask(request: FactsRequest): Promise<unknown> {
  globalThis.arlarenaModelReader ??= makePool(() => makeConfined(processArgs(reader), limits), poolLimits);
  const answer = await globalThis.arlarenaModelReader.ask(request);
  if (answer.kind === "missed") {
    const most =
      answer.limit === "time" ? `${limits.wallMs / 1000} s` : `${limits.memoryBytes / gibibyte} GiB of memory`;
    throw new AppError("bad_input", `policy.pretrained: the models of this plan took more than ${most} to read`);
  }
  return valueOfAnswer(answer.value);
}

const reader = { bundle: "modelFacts", source: "server/engine/models/processes/modelFacts.ts" };

export type FactsRequest = { places: ModelPlaces } & (
  | { kind: "forbidden"; names: readonly string[] }
  | { kind: "sizes"; cells: readonly { spec: Pick<CellSpec, "policy"> }[] }
);

export function answerFacts(request: FactsRequest) {
  const { places } = request;
  switch (request.kind) {
    case "forbidden":
      return listForbidden(request.names, places);
    case "sizes":
      return readModelSizes(request.cells, places);
  }
}
