import { verifyTable } from "#server/api/reports/proofs.ts";
import { readTable } from "#server/api/reports/tables.ts";
import { formatCount } from "#server/domain/words.ts";
import { importStudy } from "#server/study/importStudy.ts";
import type { Studio } from "../client/connect.ts";
import type { Outcome } from "../outcome.ts";

/** Brings a recorded study in and makes each of its proved tables again; 1 when one has other numbers here. */
export async function importRecorded(file: string, { database, home, address }: Studio): Promise<Outcome> {
  const imported = await importStudy(database, home, file);
  const verdicts = [];
  for (const hash of imported.proofs) {
    verdicts.push(await verifyTable(database, hash, (query) => readTable(database, query)));
  }
  const different = verdicts.filter(({ isSame }) => !isSame).map(({ hash }) => hash);
  const lines = imported.sweeps.map(({ id, name, numRuns }) => {
    const page = address === undefined ? "" : `, ${address}/sweeps/${id}`;
    return `Sweep ${id}: ${name}, ${formatCount(numRuns, "recorded run")}${page}`;
  });
  const same = `${verdicts.length - different.length} of ${formatCount(verdicts.length, "table")} with a proof: the same numbers`;
  const differing = different.map((hash) => `DIFFERENT numbers here: npx arlarena table verify ${hash}`);
  return {
    text: [...lines, ...(verdicts.length > 0 ? [same] : []), ...differing].join("\n"),
    json: { ...imported, different },
    exitCode: different.length > 0 ? 1 : 0,
    remarks: imported.notes,
  };
}
