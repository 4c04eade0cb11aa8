import { sweepPage } from "#server/domain/pages.ts";
import { AppError, formatCount } from "#packages/base";
import { importFiles, sayLeft } from "#server/engine/trainers/import/importFiles.ts";
import { readImport } from "#server/engine/trainers/import/readImport.ts";
import { listFormats } from "#server/domain/trainers/import/readForeignFile.ts";
import type { ImportOptions } from "#server/domain/trainers/import/planImport.ts";
import type { Outcome, Studio } from "../command.ts";
import { findGiven } from "./findGiven.ts";

type ImportRequest = { files: readonly string[]; name: string | undefined; options: ImportOptions };

export async function importRuns({ files, name, options }: ImportRequest, studio: Studio): Promise<Outcome> {
  const { database, home, address } = studio;
  const found = await findGiven(files);
  if (found.given.length === 0) {
    const lines = [`${files.join(", ")}: no log found`, ...sayLeft(found.left), listFormats()];
    throw new AppError("bad_input", lines.join("\n"));
  }
  const imported = await importFiles(database, home, { files: found.given, options, name, read: readImport });
  const { sweepId, numRuns, numCells, left, notes } = imported;
  const page = address === undefined ? undefined : `${address}${sweepPage(sweepId)}`;
  const lines = [
    `Sweep ${sweepId}: ${formatCount(numRuns, "imported run")} of ${formatCount(numCells, "cell")}`,
    ...(page ? [page] : []),
  ];
  return {
    text: lines.join("\n"),
    json: { sweep: { ...imported, page } },
    exitCode: 0,
    remarks: [...sayLeft([...found.left, ...left]), ...notes],
  };
}
