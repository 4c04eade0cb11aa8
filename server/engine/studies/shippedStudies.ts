import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Verdict } from "#server/api/analysis/proofs.ts";
import type { Database } from "#server/db/storage/client.ts";
import { findSweeps } from "#server/db/publish/studies.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { importStudy } from "./importStudy.ts";
import { StudyHead } from "./studyFile.ts";
import { StudyLines } from "./studyLines.ts";

export type ShippedStudy = {
  path: string;
  sweepIds: string[];
  names: string[];
  methods: string[];
  environments: string[];
  numRuns: number;
};

/** Lists the recorded studies that ship with the studio, oldest first, from the first line of each file. */
export async function listShipped(folder = join(process.cwd(), "studies")): Promise<ShippedStudy[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".arlarena"));
  const read = await Promise.all(names.map((name) => readHead(join(folder, name))));
  return read.sort((a, b) => a.exportedAt.localeCompare(b.exportedAt)).map(({ study }) => study);
}

async function readHead(path: string): Promise<{ study: ShippedStudy; exportedAt: string }> {
  const lines = new StudyLines(path);
  try {
    const { sweeps, exportedAt } = await lines.parse(StudyHead);
    const plans = sweeps.map(({ plan, cells }) => ({ cells, plan: checkPlan(plan) }));
    const study = {
      path,
      sweepIds: sweeps.map(({ id }) => id),
      names: sweeps.map(({ name }) => name),
      methods: [...new Set(sweeps.flatMap(({ cells }) => cells.map(({ method }) => method)))],
      environments: [...new Set(plans.flatMap(({ plan }) => plan.environments.map(({ id }) => id)))],
      numRuns: plans.reduce((sum, { cells, plan }) => sum + cells.length * plan.seeds.length, 0),
    };
    return { study, exportedAt };
  } finally {
    await lines.close();
  }
}

export type OpenedStudies = { sweepIds: string[]; numProofs: number; numDifferent: number; notes: string[] };

/** Imports those studies shipped with the studio that are missing, and recomputes each of their verifiable tables. */
export async function openShipped(
  database: Database,
  home: string,
  verify: (hash: string) => Promise<Verdict>,
): Promise<OpenedStudies> {
  const studies = await listShipped();
  const opened: OpenedStudies = { sweepIds: [], numProofs: 0, numDifferent: 0, notes: [] };
  for (const { path, sweepIds } of studies) {
    opened.sweepIds.push(...sweepIds);
    if ((await findSweeps(database, sweepIds)) === sweepIds.length) continue;
    const { proofs, notes } = await importStudy(database, home, path);
    opened.notes.push(...notes);
    for (const hash of proofs) {
      const { isSame } = await verify(hash);
      opened.numProofs += 1;
      if (!isSame) opened.numDifferent += 1;
    }
  }
  return opened;
}
