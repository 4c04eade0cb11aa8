import { join } from "node:path";
import type { Verdict } from "#server/api/analysis/proofs.ts";
import type { Database } from "#server/db/storage/client.ts";
import { findSweeps } from "#server/db/publish/studies.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { type ShippedId, shippedStudies, type StudyProgress } from "#server/domain/publish/shippedStudies.ts";
import { importWatched } from "./importStudy.ts";
import { StudyHead } from "./studyFile.ts";
import { StudyLines } from "./studyLines.ts";

export type ShippedStudy = {
  sweepIds: string[];
  methods: string[];
  environments: string[];
  numRuns: number;
};

type StudyFile = ShippedStudy & { path: string; names: string[]; numCells: number };

/** Reads a shipped study from the first lines of its files. */
export async function readShipped(id: ShippedId): Promise<ShippedStudy> {
  const files = await readFiles(id);
  return {
    sweepIds: files.flatMap(({ sweepIds }) => sweepIds),
    methods: [...new Set(files.flatMap(({ methods }) => methods))],
    environments: [...new Set(files.flatMap(({ environments }) => environments))],
    numRuns: files.reduce((sum, { numRuns }) => sum + numRuns, 0),
  };
}

function readFiles(id: ShippedId): Promise<StudyFile[]> {
  return Promise.all(
    shippedStudies[id].files.map((name) => readStudyHead(join(process.cwd(), "studies", `${name}.arlarena`))),
  );
}

/** Describes a recorded study by its first line. */
export async function readStudyHead(path: string): Promise<StudyFile> {
  const lines = new StudyLines(path);
  try {
    const { sweeps } = await lines.parse(StudyHead);
    const plans = sweeps.map(({ plan, cells }) => ({ cells, plan: checkPlan(plan) }));
    return {
      path,
      names: sweeps.map(({ name }) => name),
      numCells: sweeps.reduce((sum, { cells }) => sum + cells.length, 0),
      sweepIds: sweeps.map(({ id }) => id),
      methods: [...new Set(sweeps.flatMap(({ cells }) => cells.map(({ method }) => method)))],
      environments: [...new Set(plans.flatMap(({ plan }) => plan.environments.map(({ id }) => id)))],
      numRuns: plans.reduce((sum, { cells, plan }) => sum + cells.length * plan.seeds.length, 0),
    };
  } finally {
    await lines.close();
  }
}

export type OpenedStudy = { sweepIds: string[]; numProofs: number; numDifferent: number; notes: string[] };

type Opening = {
  home: string;
  verify: (hash: string) => Promise<Verdict>;
  onProgress: (progress: StudyProgress) => void;
};

/** Imports those sweeps of a shipped study that are missing, and recomputes each of their verifiable tables. */
export async function openShipped(
  database: Database,
  id: ShippedId,
  { home, verify, onProgress }: Opening,
): Promise<OpenedStudy> {
  const files = await readFiles(id);
  const opened: OpenedStudy = { sweepIds: [], numProofs: 0, numDifferent: 0, notes: [] };
  const numAllRuns = files.reduce((sum, { numRuns }) => sum + numRuns, 0);
  let numRuns = 0;
  const tell = () => onProgress({ numRuns, numAllRuns, numProofs: opened.numProofs });
  tell();
  for (const { path, sweepIds, numRuns: numHere } of files) {
    opened.sweepIds.push(...sweepIds);
    const before = numRuns;
    if ((await findSweeps(database, sweepIds)) < sweepIds.length) {
      const onRun = () => {
        numRuns = Math.min(numRuns + 1, before + numHere);
        tell();
      };
      const { proofs, notes } = await importWatched({ database, home, onRun }, path);
      opened.notes.push(...notes);
      for (const hash of proofs) {
        const { isSame } = await verify(hash);
        opened.numProofs += 1;
        if (!isSame) opened.numDifferent += 1;
        tell();
      }
    }
    numRuns = before + numHere;
    tell();
  }
  return opened;
}
