import { z } from "zod";
import { type Limits, makeConfined } from "#trainer/confined/confine.ts";
import { readHubSettings } from "#trainer/policy/hub/settings.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { makePool, type Pool, processArgs } from "#server/engine/processes/pool.ts";
import { AppError, badInput } from "#packages/base";
import type { Translate } from "#server/domain/plan/sweep/translate.ts";
import type { Space } from "#server/domain/plan/search/space.ts";
import type { CheckCell } from "#server/domain/plan/sweep/conflicts.ts";
import { expandPlan, type Expansion } from "#server/domain/plan/sweep/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import type { ModelSizes } from "#server/domain/plan/sweep/estimate.ts";
import { valueOfAnswer } from "#server/engine/processes/answers.ts";
import {
  describeModels,
  keyOf,
  listForbidden,
  type ModelFacts,
  type ModelPlaces,
  readModelSizes,
  type Specified,
} from "./describeModel.ts";
import type { ModelFolders } from "./modelFolders.ts";

const gibibyte = 2 ** 30;
/** Limits of one request. Reading takes a millisecond, or seconds on a network file system. */
const limits: Limits = { cpuMs: 5_000, wallMs: 20_000, memoryBytes: gibibyte };
const poolLimits = { size: 1, maxWaiting: 16, what: "read for a model", idleMs: 5 * 60_000 };

declare global {
  // Next.js loads a module once per bundle, so a pool in the module would exist several times.
  var arlarenaModelReader: Pool | undefined;
}

/** Describes pretrained models like `describeModels`, but in a separate process. */
export async function readModelFacts(specs: readonly Specified[], folders: () => ModelFolders): Promise<ModelFacts[]> {
  const distinct = new Map(specs.map((spec) => [keyOf(spec), spec]));
  distinct.delete(undefined);
  if (distinct.size === 0) return [];
  // Only these parts of a cell's specification affect the model's description, so only they are sent.
  const asked = [...distinct.values()].map(({ policy, execution, environment, rollout }) => {
    return { policy, execution, environment, rollout };
  });
  return z.custom<ModelFacts[]>().parse(await ask({ kind: "facts", specs: asked, places: placesOf(folders()) }));
}

/** Expands a plan for the launch. Throws for models that exceed the memory, and for forbidden model folders. */
export async function expandChecked(
  plan: SweepPlan,
  translate: Translate,
  folders: () => ModelFolders,
): Promise<Expansion> {
  await refuseFolders(plan.search?.space ?? {}, "search.space", folders);
  const named: CellSpec[] = [];
  const expansion = expandPlan(plan, translate, (spec) => {
    if (spec.policy.pretrained !== undefined) named.push(spec);
    return [];
  });
  const forbidden = await readForbidden(
    named.map(({ policy: { pretrained } }) => pretrained),
    folders,
  );
  const own = named.filter(({ trainer }) => trainer === undefined);
  const keys = [...new Set(own.map(keyOf))];
  const facts = await readModelFacts(own, folders);
  const problemsOf = new Map(keys.map((key, i) => [key, facts[i]?.problems ?? []]));
  const check: CheckCell = (spec) => {
    const message = forbidden[spec.policy.pretrained ?? ""];
    if (message !== undefined) return [{ path: "policy.pretrained", message }];
    return spec.trainer === undefined ? (problemsOf.get(keyOf(spec)) ?? []) : [];
  };
  return named.some((spec) => check(spec).length > 0) ? expandPlan(plan, translate, check) : expansion;
}

/** Throws `bad_input` if a hyperparameter search could sample a model from a folder that is not allowed. */
export async function refuseFolders(space: Space, path: string, folders: () => ModelFolders): Promise<void> {
  const drawn = space["policy.pretrained"];
  const names = drawn?.kind === "choice" ? drawn.of.map(String) : [];
  const [forbidden] = Object.entries(await readForbidden(names, folders));
  if (!forbidden) return;
  const [name, message] = forbidden;
  throw badInput([{ path: `${path}.policy.pretrained`, message: `"${name}": ${message}` }]);
}

async function readForbidden(
  names: readonly (string | undefined)[],
  folders: () => ModelFolders,
): Promise<Readonly<Record<string, string>>> {
  const distinct = [...new Set(names.filter((name) => name !== undefined))];
  if (distinct.length === 0) return {};
  const asked = { kind: "forbidden", names: distinct, places: placesOf(folders()) } as const;
  return z.record(z.string(), z.string()).parse(await ask(asked));
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
