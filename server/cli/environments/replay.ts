import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { environments, type EnvironmentId } from "#trainer/spec/environment.ts";
import { AppError } from "#packages/base";
import { compareRecordings } from "#server/engine/playground/replay.ts";
import { toColumns } from "../views/columns.ts";
import { readInputFile, tryJson } from "../inputFile.ts";
import type { Outcome } from "../command.ts";

/** Reports matching checks by kind, and the first difference from recordings of the original environment. */
export async function replayRecordings(id: EnvironmentId, files: readonly string[]): Promise<Outcome> {
  const records = (await Promise.all(files.map(readRecords))).flat();
  const games = Object.assign({}, ...(await Promise.all(files.map(readGames))));
  const report = await compareRecordings(id, records, games);
  const { numChecks, numMatched, byKind, firstDifference } = report;
  const rows = Object.entries(byKind).map(([kind, { checks, matched }]) => [kind, String(matched), String(checks)]);
  const columns = ["CHECK", { number: "MATCHED" }, { number: "OF" }];
  const title = `${environments[id].title}: matched ${numMatched} of ${numChecks} checks`;
  const table = toColumns(columns, rows, { width: undefined, hasColour: false });
  const difference = firstDifference === undefined ? [] : [`First difference: ${firstDifference}`];
  const isSame = numMatched === numChecks && numChecks > 0;
  return {
    text: [title, table, ...difference].join("\n"),
    json: { environment: id, ...report },
    exitCode: isSame ? 0 : 1,
  };
}

async function readRecords(file: string): Promise<unknown[]> {
  const text = await readInputFile(file);
  const whole = tryJson(text);
  if (Array.isArray(whole)) return whole;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, i) => {
    const record = tryJson(line);
    if (record === undefined) throw new AppError("bad_input", `${file}, line ${i + 1}: not valid JSON`);
    return record;
  });
}

/** Reads the game files that recordings refer to: those of `runs.jsonl` are in the folder `runs-games`. */
async function readGames(file: string): Promise<Record<string, unknown>> {
  const folder = file.replace(/\.jsonl?$/, "-games");
  if (folder === file || !existsSync(folder)) return {};
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const games = await Promise.all(
    names.map(async (name) => [name, tryJson(await readFile(join(folder, name), "utf8"))] as const),
  );
  // A game file that is not JSON is omitted, so a recording that refers to it is rejected later.
  return Object.fromEntries(games);
}
