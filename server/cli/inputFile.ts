import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { AppError } from "#packages/base";
import { hasCode } from "#server/config/fileErrors.ts";

/** Reads the text of a file named on the command line; "-" is standard input. */
export async function readInputFile(file: string): Promise<string> {
  return new TextDecoder().decode(await readInputBytes(file));
}

/** Reads the bytes of a file named on the command line, which may be compressed or not encoded in UTF-8. */
export async function readInputBytes(file: string): Promise<Uint8Array> {
  try {
    return file === "-" ? await buffer(process.stdin) : await readFile(file);
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) throw new AppError("not_found", `there is no file ${file}`, { cause });
    throw new AppError("bad_input", `${file} cannot be read: ${String(cause)}`, { cause });
  }
}
