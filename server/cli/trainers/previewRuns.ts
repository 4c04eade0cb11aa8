import { relative } from "node:path";
import { readConfig } from "#server/config/config.ts";
import { formatCount } from "#packages/base";
import { type Previewed, previewImport } from "#server/engine/trainers/import/importFiles.ts";
import { readImport } from "#server/engine/trainers/import/readImport.ts";
import { sayEqual } from "#server/domain/trainers/import/sortOut.ts";
import { sayLast, saySteps } from "#server/domain/trainers/import/sayLast.ts";
import type { ImportOptions } from "#server/domain/trainers/import/planImport.ts";
import type { Outcome, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";
import { findGiven } from "./findGiven.ts";

type PreviewRequest = {
  files: readonly string[];
  options: ImportOptions;
  /** State folder whose chosen names apply; absent: the configured one. */
  home?: string | undefined;
};

/** Reads the runs in these files and folders as an import would, without a studio. */
export async function previewPaths({ files, options, home = readConfig().home }: PreviewRequest): Promise<Previewed> {
  const { given, left } = await findGiven(files);
  if (given.length === 0) return { numCells: 0, numRuns: 0, runs: [], columns: [], left, notes: [], equal: [] };
  const preview = await previewImport(undefined, home, { files: given, options, read: readImport });
  const runs = preview.runs.map((run) => ({ ...run, files: run.files.map(toShort) }));
  return { ...preview, runs, left: [...left, ...preview.left].map((one) => ({ ...one, file: toShort(one.file) })) };
}

/** Returns a path below the working directory without the latter. */
function toShort(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" || short.startsWith("..") ? path : short;
}

/** Prints the runs that an import would make, and the files that it would leave out. Exit code 1 without a run. */
export async function previewRuns(request: PreviewRequest, screen: Screen): Promise<Outcome> {
  const { runs, left, columns, numCells, equal, ...rest } = await previewPaths(request);
  const notes = [...sayEqual(equal), ...rest.notes];
  const table = toColumns(
    ["Method", "Environment", { number: "Seed" }, "Steps", "Last values", "Files"],
    runs.map(({ method, environment, seed, steps, lastStep, last, files }) => [
      method,
      environment,
      String(seed),
      saySteps({ steps, lastStep }),
      sayLast(last),
      files.join(", "),
    ]),
    screen,
  );
  const rows = columns.map(({ name, metric, numPoints, isPercent }) => {
    const scale = isPercent ? ", per cent: divided by 100" : "";
    return `  ${name} → ${metric ?? "other"} (${formatCount(numPoints, "point")}${scale})`;
  });
  const lines = [
    `Would become ${formatCount(runs.length, "run")} of ${formatCount(numCells, "cell")}.`,
    ...(runs.length > 0 ? [table, "Metrics:", ...rows, advice] : []),
    ...(left.length > 0 ? ["Left out:", ...left.map(({ file, reason }) => `  ${file}: ${reason}`)] : []),
  ];
  const json = { runs, left, columns, notes };
  return { text: lines.join("\n"), json, exitCode: runs.length > 0 ? 0 : 1, remarks: notes };
}

const advice = "To change one: --column NAME=METRIC (NAME=NAME keeps it as it is); the choice is remembered.";
