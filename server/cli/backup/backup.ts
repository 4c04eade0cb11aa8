import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import { AppError, formatBytes, formatCount } from "#packages/base";
import { sayStart } from "#server/config/startCommand.ts";
import type { Progress } from "#server/engine/backup/contents.ts";
import { noteCommand } from "../client/noteCommand.ts";
import type { Outcome, Performer, Screen } from "../command.ts";

export function addBackup(program: Command, { perform }: Performer): void {
  program
    .command("backup")
    .description(
      "write the whole studio (database, logs, checkpoints, settings, secrets) into one file; it may run meanwhile",
    )
    .argument("<FILE>", "file to write, such as studio.tar.gz; only its owner can read it")
    .action((file, _, command) => perform(async (screen) => backUpInto(file, await readPlace(command), screen)));
}

export function addRestore(program: Command, { perform }: Performer): void {
  program
    .command("restore")
    .description(
      "fill an empty state folder (and the empty database of DATABASE_URL, if set) from a backup, and check it",
    )
    .argument("<FILE>", "file that `backup` wrote")
    .action((file, _, command) => perform(async (screen) => restoreFrom(file, await readPlace(command), screen)));
}

/** State folder of a studio that may be stopped, its DATABASE_URL if set, and the version of this program. */
type Place = { home: string; databaseUrl: string | undefined; version: string };

async function readPlace(command: CommandUnknownOpts): Promise<Place> {
  const { readConfig } = await import("#server/config/config.ts");
  const { home, databaseUrl } = readConfig();
  const named: unknown = command.optsWithGlobals()["home"];
  const version = command.parent?.version() ?? "unknown";
  return { home: resolve(typeof named === "string" ? named : home), databaseUrl, version };
}

async function backUpInto(file: string, place: Place, screen: Screen): Promise<Outcome> {
  const { backUp } = await import("#server/engine/backup/backUp.ts");
  const { databaseUrl, close } = await openDatabase(place);
  try {
    const { home, version } = place;
    const done = await backUp({ home, databaseUrl, path: file, version, onProgress: makeReporter(screen) });
    await note(databaseUrl, { action: "arlarena backup", subject: file });
    const { size } = await stat(file);
    const text = `${file}: ${describe(done)}, ${formatBytes(size)}. It contains secrets.`;
    return { text, json: { file, bytes: size, ...done }, exitCode: 0 };
  } finally {
    await close();
  }
}

async function restoreFrom(file: string, { home, databaseUrl }: Place, screen: Screen): Promise<Outcome> {
  const { restoreStudio } = await import("#server/start/restoreStudio.ts");
  const subject = `${resolve(file)} into ${home}`;
  const restored = await restoreStudio({
    home,
    databaseUrl,
    path: resolve(file),
    onProgress: makeReporter(screen),
    whenRestored: (url) => note(url, { action: "arlarena restore", subject }),
  });
  const { head, numRows, numTables, numFiles, applied, live } = restored;
  const lines = [
    `${home} restored as of ${head.createdAt}. Checked: ${describe(restored)} (SHA-256).`,
    ...(applied.length > 0 ? [`Database brought up to date (${formatCount(applied.length, "migration")}).`] : []),
    `Start it with: ${sayStart(`--home ${home}`)}`,
  ];
  const nodes = [...new Set(live.map(({ node }) => node))];
  const remark = `${formatCount(live.length, "attempt")} in progress on ${nodes.join(", ")}: the restored studio follows jobs on other machines and repeats those of this one. Do not start it while the original runs.`;
  const json = { ...head, home, numRows, numTables, numFiles, applied, live };
  return { text: lines.join("\n"), json, exitCode: 0, remarks: live.length > 0 ? [remark] : [] };
}

type Contents = { numRows: number; numTables: number; numFiles: number };

function describe({ numRows, numTables, numFiles }: Contents): string {
  return `${formatCount(numRows, "row")} of ${formatCount(numTables, "table")}, ${formatCount(numFiles, "file")}`;
}

const everyMs = 2000;
const titles = { tables: "Table", files: "File", check: "Checking file" };

/** Prints progress, a line every two seconds. */
function makeReporter({ write }: Screen): (progress: Progress) => void {
  let printedMs = Date.now();
  return ({ what, done, total, bytes }) => {
    if (Date.now() - printedMs < everyMs) return;
    printedMs = Date.now();
    const count = total > 0 ? `${done + 1} of ${total}` : String(done + 1);
    write(`${titles[what]} ${count}, ${formatBytes(bytes)}\n`);
  };
}

/** Writes a backup or restore into the database's log of changes. */
async function note(databaseUrl: string, done: { action: string; subject: string }): Promise<void> {
  const { makeDatabase } = await import("#server/db/storage/client.ts");
  const database = makeDatabase(databaseUrl, { maxConnections: 1 });
  try {
    await noteCommand(database, done);
  } finally {
    await database.close();
  }
}

type Opened = { databaseUrl: string; close: () => Promise<void> };

/** Finds the database of the running studio, or starts the embedded one of a stopped studio until `close`. */
async function openDatabase({ home, databaseUrl }: Pick<Place, "home" | "databaseUrl">): Promise<Opened> {
  const { readStudio } = await import("#server/config/studio.ts");
  const running = await readStudio(home).catch(() => undefined);
  const url = running?.databaseUrl ?? databaseUrl;
  if (url !== undefined) return { databaseUrl: url, close: async () => {} };
  if (!existsSync(join(home, "database.json")))
    throw new AppError("not_found", `there is no studio in the state folder ${home}; name its folder with --home`);
  const [{ claimHome }, { makePostgres }, { checkRestored }] = await Promise.all([
    import("#server/start/claimHome.ts"),
    import("#server/db/embedded/postgres.ts"),
    import("#server/start/restoreStudio.ts"),
  ]);
  checkRestored(home);
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
