import { verifyTable } from "#server/api/analysis/proofs.ts";
import { reportPage, sweepPage } from "#server/domain/pages.ts";
import { readTable } from "#server/api/publish/answers.ts";
import { formatCount } from "#packages/base";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import type { Outcome, Studio } from "../command.ts";

/** Imports studies and recomputes each table with a proof. Exit code 1 if the numbers of a table differ. */
export async function importRecorded(files: readonly string[], studio: Studio): Promise<Outcome> {
  const { database, home, address } = studio;
  const studies = [];
  for (const file of files) studies.push(await importStudy(database, home, file));
  const imported = {
    sweeps: studies.flatMap(({ sweeps }) => sweeps),
    proofs: studies.flatMap(({ proofs }) => proofs),
    laterProofs: studies.flatMap(({ laterProofs }) => laterProofs),
    reports: studies.flatMap(({ reports }) => reports),
    notes: studies.flatMap(({ notes }) => notes),
  };
  const verdicts = [];
  for (const hash of imported.proofs) {
    verdicts.push(await verifyTable(database, hash, (query, code) => readTable(database, query, code)));
  }
  const different = verdicts.filter(({ isSame }) => !isSame).map(({ hash }) => hash);
  const lines = imported.sweeps.map(({ id, name, numRuns }) => {
    const page = address === undefined ? "" : `, ${address}${sweepPage(id)}`;
    return `Sweep ${id}: ${name}, ${formatCount(numRuns, "recorded run")}${page}`;
  });
  const reports = imported.reports.map(({ id, title }) => {
    const page = address === undefined ? "" : `, ${address}${reportPage(id)}`;
    return `Report ${id}: ${title}${page}`;
  });
  const same = `${verdicts.length - different.length} of ${formatCount(verdicts.length, "table")} with a proof: the same numbers`;
  const differing = different.map((hash) => `DIFFERENT numbers here: npx arlarena table verify ${hash}`);
  const later = imported.laterProofs.map((hash) => `Once its runs are judged: npx arlarena table verify ${hash}`);
  return {
    text: [...lines, ...reports, ...(verdicts.length > 0 ? [same] : []), ...differing, ...later].join("\n"),
    json: { ...imported, different },
    exitCode: different.length > 0 ? 1 : 0,
    remarks: imported.notes,
  };
}
