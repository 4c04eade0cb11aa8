import { resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { formatCount } from "#packages/base";
import type { Outcome, Performer, Screen } from "../command.ts";
import { type Place, readPlace } from "./place.ts";
import { makeReporter } from "./progress.ts";

export function addRestore(program: Command, { perform }: Performer): void {
  program
    .command("restore")
    .description(
      "fill an empty state folder (and the empty database of DATABASE_URL, if set) from a backup, and check it",
    )
    .argument("<FILE>", "file that `backup` wrote")
    .action((file, _, command) => perform(async (screen) => restoreInto(file, await readPlace(command), screen)));
}

async function restoreInto(file: string, place: Place, screen: Screen): Promise<Outcome> {
  const { restoreStudio } = await import("#server/start/restoreStudio.ts");
  const { home, databaseUrl } = place;
  const restored = await restoreStudio({ home, databaseUrl, path: resolve(file), onProgress: makeReporter(screen) });
  const { head, numRows, numTables, numFiles, applied, live } = restored;
  const lines = [
    `${home} restored as of ${head.createdAt}. Checked: ${formatCount(numRows, "row")} of ${formatCount(numTables, "table")}, ${formatCount(numFiles, "file")} (SHA-256).`,
    ...(applied.length > 0 ? [`Database brought up to date (${formatCount(applied.length, "migration")}).`] : []),
    `Start it with: npm start -- --home ${home}`,
  ];
  const nodes = [...new Set(live.map(({ node }) => node))];
  const remark = `${formatCount(live.length, "attempt")} in progress on ${nodes.join(", ")}: the restored studio follows jobs on other machines and repeats those of this one. Do not start it while the original runs.`;
  const json = { ...head, home, numRows, numTables, numFiles, applied, live };
  return { text: lines.join("\n"), json, exitCode: 0, remarks: live.length > 0 ? [remark] : [] };
}
