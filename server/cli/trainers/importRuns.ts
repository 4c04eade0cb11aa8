import { constants } from "node:fs";
import { sweepPage } from "#server/domain/pages.ts";
import { access, stat } from "node:fs/promises";
import { AppError, formatCount } from "#packages/base";
import type { GivenFile } from "#server/engine/trainers/import/givenFile.ts";
import { importFiles, type Previewed, previewImport } from "#server/engine/trainers/import/importFiles.ts";
import { readImport } from "#server/engine/trainers/import/readImport.ts";
import type { ImportOptions } from "#server/domain/trainers/import/planImport.ts";
import type { Outcome, Studio } from "../command.ts";
import { listLogs } from "./listLogs.ts";

type ImportRequest = {
  files: readonly string[];
  name: string | undefined;
  options: ImportOptions;
  isPreview?: boolean;
};

export async function importRuns(
  { files, name, options, isPreview = false }: ImportRequest,
  studio: Studio,
): Promise<Outcome> {
  const { database, home, address } = studio;
  const found = await Promise.all(files.map(findFiles));
  const given = found.flatMap((one) => one.files);
  if (isPreview) {
    const preview = await previewImport(database, home, { files: given, options, name, read: readImport });
    return { ...sayPreview(preview), remarks: [...found.flatMap((one) => one.notes), ...preview.notes] };
  }
  const imported = await importFiles(database, home, { files: given, options, name, read: readImport });
  const { sweepId, numRuns, numCells, notes } = imported;
  const page = address === undefined ? undefined : `${address}${sweepPage(sweepId)}`;
  const lines = [
    `Sweep ${sweepId}: ${formatCount(numRuns, "imported run")} of ${formatCount(numCells, "cell")}`,
    ...(page ? [page] : []),
  ];
  return {
    text: lines.join("\n"),
    json: { sweep: { ...imported, page } },
    exitCode: 0,
    remarks: [...found.flatMap((one) => one.notes), ...notes],
  };
}

function sayPreview(preview: Previewed): Pick<Outcome, "text" | "json" | "exitCode"> {
  const { numRuns, numCells, columns } = preview;
  const rows = columns.map(
    ({ name, metric, numPoints }) => `  ${name} → ${metric ?? "other"} (${formatCount(numPoints, "point")})`,
  );
  const lines = [
    `Would become ${formatCount(numRuns, "run")} of ${formatCount(numCells, "cell")}. Metrics:`,
    ...rows,
    "To change one: --column NAME=METRIC (NAME=NAME keeps it as it is); the choice is remembered.",
  ];
  return { text: lines.join("\n"), json: { preview }, exitCode: 0 };
}

async function findFiles(path: string): Promise<{ files: GivenFile[]; notes: string[] }> {
  const given = await findFile(path);
  if (given !== "folder") return { files: [given], notes: [] };
  const { paths, settings, notes } = await listLogs(path);
  const files = await Promise.all([...paths, ...settings.map(({ fileName }) => fileName)].map(findFile));
  return { files: files.filter((file) => file !== "folder"), notes };
}

async function findFile(file: string): Promise<GivenFile | "folder"> {
  try {
    // If the file cannot be read, the error of this call states its name.
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (found.isFile()) return { name: file, path: file, start: 0, end: found.size };
    if (found.isDirectory()) return "folder";
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT") throw new AppError("not_found", `there is no file ${file}`, { cause });
    throw new AppError("bad_input", `${file} cannot be read: ${String(cause)}`, { cause });
  }
  throw new AppError("bad_input", `${file} is neither a file nor a folder`);
}
