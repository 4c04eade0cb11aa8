import type { Command } from "@commander-js/extra-typings";
import { formatCount } from "#packages/base";
import type { Performer } from "../command.ts";

const verdictWords = { whole: "complete", open: "complete so far", broken: "INCOMPLETE" };

export function addCheck(program: Command, { performInStudio }: Performer): void {
  program
    .command("check")
    .description("check that everything a run wrote is stored, and each iteration once; exit code 1 if not")
    .argument("<RUN>")
    .action((runId) =>
      performInStudio(async ({ database }) => {
        const { readIntegrity } = await import("#server/db/runs/integrity.ts");
        const report = await readIntegrity(database, runId);
        const { iterations, points, problems, verdict, attempts } = report;
        const lines = [
          `Run ${runId}: ${verdictWords[verdict]}`,
          `iterations: ${iterations.stored} of ${iterations.expected}, ${iterations.superseded} superseded`,
          `points: ${points.stored} stored, about ${points.superseded} superseded, ${points.nonFinite} not finite`,
          ...attempts.map(({ number, numWritten, numLines, log }) => {
            const late = log && log.numLate > 0 ? `, ${log.numLate} late` : "";
            return `attempt ${number}: ${formatCount(numLines, "line")} stored, ${numWritten ?? "an unknown number"} written${late}`;
          }),
          ...problems.map((problem) => `problem: ${problem}`),
        ];
        return { text: lines.join("\n"), json: { run: runId, ...report }, exitCode: verdict === "broken" ? 1 : 0 };
      }),
    );
}
