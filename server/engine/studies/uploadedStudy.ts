import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/storage/client.ts";
import { type GivenFile, readGiven } from "#server/engine/trainers/import/givenFile.ts";
import { importStudy, isStudy } from "./importStudy.ts";
import { readStudyHead } from "./shippedStudies.ts";

/** An upload's answer in the words of an import of logs. A study has no columns to choose and no runs to edit. */
export type UploadedStudy = {
  sweepId: string;
  numRuns: number;
  numCells: number;
  left: never[];
  notes: string[];
  columns: never[];
  runs: never[];
  equal: never[];
  /** Hashes of tables whose numbers can be verified now. */
  proofs: string[];
};

type Target = { database: Database; home: string; isPreview: boolean };

/** Imports an uploaded file, or describes it, if it is a recorded study; otherwise returns undefined. */
export async function takeStudy(file: GivenFile, target: Target): Promise<UploadedStudy | undefined> {
  if (!/\.(arlarena|gz)$/i.test(file.name)) return undefined;
  const path = join(target.home, "uploads", randomUUID());
  try {
    await writeFile(path, await readGiven(file), { mode: 0o600 });
    return (await isStudy(path)) ? await take(path, target) : undefined;
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string, { database, home, isPreview }: Target): Promise<UploadedStudy> {
  const { sweepIds, numRuns, numCells, names } = await readStudyHead(path);
  const nothing = { left: [], columns: [], runs: [], equal: [] };
  const about = { numRuns, numCells, ...nothing };
  if (isPreview)
    return { ...about, sweepId: sweepIds[0] ?? "", proofs: [], notes: [`Recorded study: ${names.join(", ")}`] };
  const { sweeps, proofs, notes } = await importStudy(database, home, path);
  return { ...about, sweepId: sweeps[0]?.id ?? "", proofs, notes };
}
