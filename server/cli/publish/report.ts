import type { Command } from "@commander-js/extra-typings";
import { formatIssue } from "#packages/base";
import type { Performer } from "../command.ts";

export function addReport(program: Command, { performInStudio }: Performer): void {
  const report = program.command("report").description("list reports, or write one as an HTML file");
  report
    .command("list")
    .description("list the reports, most recently changed first")
    .action(() =>
      performInStudio(async ({ database }) => {
        const { listReports } = await import("#server/db/publish/reports.ts");
        const reports = await listReports(database);
        const text = reports
          .map(({ id, title, frozenAt }) => `${id}  ${title}${frozenAt ? " (frozen)" : ""}`)
          .join("\n");
        return { text: text === "" ? "There are no reports yet." : text, json: { reports }, exitCode: 0 };
      }),
    );
  report
    .command("export")
    .description("write a report as one HTML file with figures, tables and text, without network access or scripts")
    .argument("<REPORT>", "id of the report, at the end of its address")
    .argument("<FILE>", "file to write")
    .action((id, file) =>
      performInStudio(async ({ database }) => {
        const [{ exportReport }, { writeFile }] = await Promise.all([
          import("#server/api/publish/reports/exportReport.ts"),
          import("node:fs/promises"),
        ]);
        const { title, problems, file: html } = await exportReport(database, id);
        await writeFile(file, html);
        const remarks = problems.map(({ line, message }) => formatIssue({ path: "", line, message }));
        const bytes = Buffer.byteLength(html);
        return {
          text: `${file}: ${title}, ${(bytes / 1e6).toFixed(2)} MB`,
          json: { report: id, file, title, bytes, problems },
          exitCode: problems.length > 0 ? 1 : 0,
          remarks,
        };
      }),
    );
}
