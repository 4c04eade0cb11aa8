/**
 * Compares recordings of an original environment with the studio's, check by check, as a program:
 * `npx tsx trainer/environments/testing/compareRecordings.ts ENVIRONMENT FILE.jsonl…`. Exits with 1 if any differs.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openPrograms } from "#trainer/programs/openPrograms.ts";
import { isPython } from "#trainer/programs/packageArgs.ts";
import { type EnvironmentId, environments } from "#trainer/spec/environment.ts";
import { replayAlfworld } from "../alfworld/testing/replay.ts";
import type { Programs } from "../programs.ts";
import { replaySokoban } from "../sokoban/testing/replay.ts";
import { replaySweGym } from "../sweGym/testing/replay.ts";
import { replayTextWorld } from "../textworld/testing/replay.ts";
import { replayTirMath } from "../tirMath/testing/replay.ts";
import { replayWebShop } from "../webshop/testing/replay.ts";
import type { ReplayReport } from "./replayLog.ts";

/** Compares records with the studio's environment. TextWorld's records refer to `games` by file name. */
type Replay = (
  records: readonly unknown[],
  beside: { games: Readonly<Record<string, unknown>>; programs: Programs | undefined },
) => ReplayReport;

const replays: Record<EnvironmentId, Replay> = {
  sokoban: replaySokoban,
  alfworld: replayAlfworld,
  webshop: replayWebShop,
  textworld: (records, { games }) => replayTextWorld(records, games),
  tirMath: (records, { programs }) => replayTirMath(records, programs),
  sweGym: replaySweGym,
};

export async function compareRecordings(id: EnvironmentId, files: readonly string[]): Promise<ReplayReport> {
  const records = files.flatMap(readRecords);
  const games = Object.assign({}, ...files.map(readGames));
  const programs = isPython(id) ? await openPrograms() : undefined;
  try {
    return replays[id](records, { games, programs });
  } finally {
    await programs?.close();
  }
}

/** Reads one JSON list, or one JSON value per line. */
function readRecords(file: string): unknown[] {
  const text = readFileSync(file, "utf8").trim();
  if (text.startsWith("[")) return JSON.parse(text);
  return text.split("\n").map((line, i) => {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw new Error(`${file}, line ${i + 1}: not valid JSON`, { cause });
    }
  });
}

/** Reads the game files that recordings refer to: those of `runs.jsonl` are in the folder `runs-games`. */
function readGames(file: string): Record<string, unknown> {
  const folder = file.replace(/\.jsonl?$/, "-games");
  if (folder === file || !existsSync(folder)) return {};
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(names.map((name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]));
}

if (process.argv[1] === import.meta.filename) {
  const [name, ...files] = process.argv.slice(2);
  const id = z.enum(Object.keys(environments) as EnvironmentId[]).parse(name);
  const report = await compareRecordings(id, files);
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = report.numMatched === report.numChecks && report.numChecks > 0 ? 0 : 1;
}
