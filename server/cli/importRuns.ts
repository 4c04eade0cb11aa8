import { readFile } from "node:fs/promises";
import { AppError } from "../domain/errors.ts";
import { importFiles } from "../tracking/importFiles.ts";
import type { ImportCommand } from "./command.ts";
import type { Studio } from "./connect.ts";
import type { Outcome } from "./outcome.ts";
import { formatCount } from "../domain/words.ts";

/** Finished runs of other trainers become a sweep, as the drop zone of the sweeps page makes it. */
export async function importRuns({ files, name, wishes }: ImportCommand, studio: Studio): Promise<Outcome> {
  const { database, home, address } = studio;
  const given = files.map((file) => ({ name: file, read: () => readBytes(file) }));
  const imported = await importFiles(database, home, { files: given, wishes, name });
  const { sweepId, numRuns, numCells, notes } = imported;
  const page = address === undefined ? undefined : `${address}/sweeps/${sweepId}`;
  const lines = [
    `Sweep ${sweepId}: ${formatCount(numRuns, "imported run")} of ${formatCount(numCells, "cell")}`,
    ...(page ? [page] : []),
  ];
  return { text: lines.join("\n"), json: { sweep: { ...imported, page } }, exitCode: 0, remarks: notes };
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT") throw new AppError("not_found", `there is no file ${file}`, { cause });
    throw new AppError("bad_input", `${file} cannot be read: ${String(cause)}`, { cause });
  }
}
