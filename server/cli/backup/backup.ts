import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { AppError, formatBytes, formatCount } from "#packages/base";
import type { Outcome, Performer, Screen } from "../command.ts";
import { type Place, readPlace } from "./place.ts";
import { makeReporter } from "./progress.ts";

export function addBackup(program: Command, { perform }: Performer): void {
  program
    .command("backup")
    .description(
      "write the whole studio (database, logs, checkpoints, settings, secrets) into one file; it may run meanwhile",
    )
    .argument("<FILE>", "file to write, such as studio.tar.gz; only its owner can read it")
    .action((file, _, command) => perform(async (screen) => backup(file, await readPlace(command), screen)));
}

async function backup(file: string, place: Place, screen: Screen): Promise<Outcome> {
  const { backUp } = await import("#server/engine/backup/backUp.ts");
  const { databaseUrl, close } = await openDatabase(place);
  try {
    const { home, version } = place;
    const done = await backUp({ home, databaseUrl, path: file, version, onProgress: makeReporter(screen) });
    const { size } = await stat(file);
    const { numRows, numTables, numFiles } = done;
    const text = `${file}: ${formatCount(numRows, "row")} of ${formatCount(numTables, "table")}, ${formatCount(numFiles, "file")}, ${formatBytes(size)}. It contains secrets.`;
    return { text, json: { file, bytes: size, ...done }, exitCode: 0 };
  } finally {
    await close();
  }
}

/** Finds the database of the running studio, or starts the embedded one of a stopped studio until `close`. */
async function openDatabase({
  home,
  databaseUrl,
}: Place): Promise<{ databaseUrl: string; close: () => Promise<void> }> {
  const { readStudio } = await import("#server/config/studio.ts");
  const running = await readStudio(home).catch(() => undefined);
  const url = running?.databaseUrl ?? databaseUrl;
  if (url !== undefined) return { databaseUrl: url, close: async () => {} };
  if (!existsSync(join(home, "database.json")))
    throw new AppError("not_found", `there is no studio in the state folder ${home}; name its folder with --home`);
  const [{ claimHome }, { makePostgres }] = await Promise.all([
    import("#server/start/claimHome.ts"),
    import("#server/db/embedded/postgres.ts"),
  ]);
  const release = await claimHome(home);
  try {
    const postgres = await makePostgres({ home, isDurable: true });
    const close = async () => {
      await postgres.close();
      await release();
    };
    return { databaseUrl: postgres.url, close };
  } catch (error) {
    await release();
    throw error;
  }
}
