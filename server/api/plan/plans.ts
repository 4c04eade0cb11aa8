import { readConfig } from "#server/config/config.ts";
import { readModelFolders } from "#server/config/models.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { readVersions } from "#server/db/fleet/nodeChecks.ts";
import { fillOrigin, readOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import { badInput } from "#packages/base";
import { makeTranslate } from "#packages/trainers";
import { fillVersions } from "#server/domain/fleet/nodes/check.ts";
import { type BranchRequest, planBranches } from "#server/domain/plan/sweep/branchPlan.ts";
import { refuseUnconfirmed } from "#server/domain/plan/sweep/confirmed.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { maxRuns } from "#server/domain/plan/sweep/expand/widen.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { planRescue, type RescueRequest, type RescueSize, sizeRescue } from "#server/domain/plan/sweep/rescuePlan.ts";
import { previewCells } from "#server/domain/trainers/previewCells.ts";
import { allPlaces, type ModelPlaces } from "#server/engine/models/describeModel.ts";
import { describeDistinct, expandChecked } from "#server/engine/models/expandChecked.ts";
import { letRulesAct, readRestingRules } from "#server/engine/studies/restingRules.ts";
import { refuseMissing } from "#server/engine/trainers/originCheckpoints.ts";

/** Plans are expanded in the analyst's processes: thousands of cells take seconds of processor time. */

/** Author of a request. `mayReadAnywhere`: the owner may load models from any folder. */
type By = { mayReadAnywhere: boolean; launchedBy?: string | undefined };
/** `launchId`: makes each request unique, because identical requests share one computation. */
type Launching = By & { launchId: string };

const maxPreviewed = 1000;

export async function previewPlan(database: Database, { plan: asked, ...by }: By & { plan: SweepPlan }) {
  const { cells } = expandPlan(await fillOrigin(database, asked));
  const external = cells.filter(({ spec }) => spec.trainer !== undefined).slice(0, maxPreviewed);
  const own = cells.flatMap(({ spec }) => (spec.trainer === undefined ? [spec] : []));
  const models = [...describeDistinct(own, () => placesOf(by)).values()];
  return { cells: previewCells(external, await readTranslate(database)), numCells: cells.length, models };
}

export async function launchPlan(database: Database, { plan, ...by }: Launching & { plan: SweepPlan }) {
  return { id: await launch(database, await fillOrigin(database, plan), by) };
}

type Branching = Launching & { run: string; request: BranchRequest };

export async function launchBranches(database: Database, { run, request, ...by }: Branching) {
  return { id: await launch(database, planBranches(await readOrigin(database, run), request), by) };
}

export type RescueAsked = { run: string; iterations: readonly number[] } & Omit<RescueRequest, "iteration">;

export async function readRescueSize(database: Database, asked: RescueAsked): Promise<RescueSize> {
  const { run, iterations, ...rest } = asked;
  const requests = iterations.map((iteration) => ({ ...rest, iteration }));
  return sizeRescue(await readOrigin(database, run), requests, await readTranslate(database));
}

type Rescuing = Launching & RescueAsked & { numRuns?: number | undefined };

export async function launchRescue(database: Database, { numRuns: confirmed, ...asked }: Rescuing) {
  const { run, iterations, continuations, arms, ...by } = asked;
  const { numRuns } = await readRescueSize(database, { run, iterations, continuations, arms });
  refuseUnconfirmed(numRuns, { field: "numRuns", unit: "run", confirmed, max: maxRuns });
  const origin = await readOrigin(database, run);
  const translate = await readTranslate(database);
  const plans = iterations.map((iteration) => planRescue(origin, { iteration, continuations, arms }, translate));
  for (const plan of plans) await refuseMissing(database, expandPlan(plan).cells);
  const ids: string[] = [];
  for (const plan of plans) ids.push(await launch(database, plan, by));
  return { ids };
}

export async function readResting(database: Database, { id }: { id: string }) {
  return readRestingRules(database, id, await readTranslate(database));
}

export async function wakeResting(database: Database, asked: { id: string; numRuns: number }) {
  return letRulesAct(database, { ...asked, translate: await readTranslate(database) });
}

async function launch(database: Database, plan: SweepPlan, { launchedBy, ...by }: By): Promise<string> {
  const expansion = expandChecked(plan, await readTranslate(database), () => placesOf(by));
  await refuseMissing(database, expansion.cells);
  if (expansion.runs.length === 0) throw badInput([{ path: "seeds", message: "the plan has no runs" }]);
  return createSweep(database, { plan, expansion, launchedBy });
}

/** Returns the translation of plans to other trainers' commands, for the software versions that node checks found. */
async function readTranslate(database: Database): Promise<ReturnType<typeof makeTranslate>> {
  const found = await readVersions(database);
  return makeTranslate(() => fillVersions(readTrainers(readConfig().home), found));
}

function placesOf({ mayReadAnywhere }: Pick<By, "mayReadAnywhere">): ModelPlaces {
  return { ...allPlaces(), folders: mayReadAnywhere ? "any" : readModelFolders(readConfig().home) };
}
