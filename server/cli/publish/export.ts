import type { Command } from "@commander-js/extra-typings";
import { formatCount } from "#packages/base";
import type { Performer } from "../command.ts";

export function addExport(program: Command, { performInStudio }: Performer): void {
  program
    .command("export")
    .description("write sweeps with their logs into one file, for `import` in another studio")
    .argument("<FILE>", "file to write")
    .argument("<SWEEP...>")
    .option("--no-samples", "leave the sample episodes out")
    .option(
      "--essential",
      "keep only the metrics of labels, rules, tables and proofs, rounded to 6e-8 where no table states their values",
    )
    .action((file, sweeps, { samples, essential = false }) =>
      performInStudio(async ({ database }) => {
        const [{ exportStudy }, { findSweep }, { stat }] = await Promise.all([
          import("#server/engine/studies/exportStudy.ts"),
          import("../client/findSweep.ts"),
          import("node:fs/promises"),
        ]);
        const found = [];
        for (const sweep of sweeps) found.push((await findSweep(database, sweep)).id);
        const exported = await exportStudy(database, {
          sweepIds: found,
          path: file,
          hasSamples: samples,
          isEssential: essential,
        });
        const { size } = await stat(file);
        const { numRuns, numOpen, numReports } = exported;
        const open = numOpen > 0 ? [`${formatCount(numOpen, "run")} still in progress, left out`] : [];
        const reports = numReports > 0 ? `, ${formatCount(numReports, "frozen report")}` : "";
        const text = `${file}: ${formatCount(numRuns, "run")} of ${formatCount(found.length, "sweep")}${reports}, ${(size / 1e6).toFixed(1)} MB`;
        return { text, json: { file, sweeps: found, bytes: size, ...exported }, exitCode: 0, remarks: open };
      }),
    );
}
