import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AppError } from "#packages/base";
import { couldBeLog, isSettingsFile } from "#server/domain/trainers/import/nameFile.ts";
import type { NamedFile } from "#server/domain/trainers/import/foreignRun.ts";
import type { SettingsFile } from "#server/domain/trainers/import/planImport.ts";
import { listFormats } from "#server/domain/trainers/import/readForeignFile.ts";
import { readSettings } from "#server/domain/trainers/import/settings.ts";
import { readLogFile } from "#server/engine/trainers/import/readImport.ts";

/** Lists the files of a folder: those whose names are usual for logs, and the others. */
export async function listFolder(folder: string): Promise<{ logs: string[]; others: string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => resolve(join(entry.parentPath, entry.name)))
    .sort();
  return { logs: paths.filter(couldBeLog), others: paths.filter((path) => !couldBeLog(path)) };
}

/**
 * Lists the logs in a folder, and files with settings of runs, without a database client. Passes each log to
 * `onRead`. Throws `bad_input` without a log.
 */
export async function listLogs(
  folder: string,
  onRead: (log: NamedFile) => void = () => undefined,
): Promise<{ paths: string[]; settings: SettingsFile[]; notes: string[] }> {
  const { logs: found } = await listFolder(folder);
  const paths: string[] = [];
  const settings: SettingsFile[] = [];
  const notes: string[] = [];
  for (const path of found) {
    try {
      if (isSettingsFile(path)) {
        settings.push({ fileName: path, settings: readSettings(path, await readFile(path, "utf8")) });
        continue;
      }
      onRead({ fileName: path, file: await readLogFile(path, await readFile(path)) });
      paths.push(path);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      notes.push(`left out: ${error.message}`);
    }
  }
  if (paths.length === 0) {
    throw new AppError("bad_input", [`${folder}: no log found`, ...notes, listFormats()].join("\n"));
  }
  return { paths, settings, notes };
}
