import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { AppError } from "#server/domain/errors.ts";

/** The text of a file named on the command line; "-" is standard input. */
export async function readInputFile(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT") throw new AppError("not_found", `there is no file ${file}`, { cause });
    throw new AppError("bad_input", `${file} cannot be read: ${String(cause)}`, { cause });
  }
}
