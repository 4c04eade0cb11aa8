import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { AppError } from "#packages/base";
import { hasCode } from "#server/config/fileErrors.ts";
import type { LeftOut } from "#server/domain/trainers/import/foreignRun.ts";
import { nameKind, numKindBytes } from "#server/domain/trainers/import/nameKind.ts";
import type { GivenFile } from "#server/engine/trainers/import/givenFile.ts";
import { listFolder } from "./listLogs.ts";

/** Files to import at the given paths, and the files of folders whose names are not those of logs, with reasons. */
export type Given = { given: GivenFile[]; left: LeftOut[] };

export async function findGiven(paths: readonly string[]): Promise<Given> {
  const all: Given = { given: [], left: [] };
  for (const path of paths) {
    const found = await findFile(path);
    if (found !== "folder") {
      all.given.push(found);
      continue;
    }
    const { logs, others } = await listFolder(path);
    const files = await Promise.all(logs.map(findFile));
    all.given.push(...files.filter((file) => file !== "folder"));
    for (const file of others)
      all.left.push({ file, reason: (await nameKindOf(file)) ?? "its name is not that of a log" });
  }
  return all;
}

async function nameKindOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(numKindBytes), 0, numKindBytes, 0);
    return nameKind(path, buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

async function findFile(file: string): Promise<GivenFile | "folder"> {
  try {
    // If the file cannot be read, the error of this call states its name.
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (found.isFile()) return { name: file, path: file, start: 0, end: found.size };
    if (found.isDirectory()) return "folder";
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) throw new AppError("not_found", `there is no file ${file}`, { cause });
    throw new AppError("bad_input", `${file} cannot be read: ${String(cause)}`, { cause });
  }
  throw new AppError("bad_input", `${file} is neither a file nor a folder`);
}
