import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { AppError, formatIssue } from "#packages/base";

/** Maximum characters of a line, which contains one iteration or one episode. */
const maxLineCharacters = 64 * 2 ** 20;

/** Reads the lines of a recorded study in sequence and adds line numbers to errors. */
export class StudyLines {
  private readonly lines: AsyncGenerator<string>;
  private numRead = 0;

  constructor(path: string) {
    this.lines = readLines(path);
  }

  problem(text: string, cause?: unknown): AppError {
    return new AppError("bad_input", `line ${this.numRead} of the study: ${text}`, { cause });
  }

  async next(): Promise<string> {
    this.numRead += 1;
    const next = await this.lines.next().catch((error: unknown) => {
      if (error instanceof LongLine)
        throw this.problem(`is longer than the limit of ${maxLineCharacters} characters: this is no recorded study`);
      throw this.problem("the file is damaged here: it cannot be unpacked", error);
    });
    if (next.done === true) throw this.problem("the file ends here, before its last line: it is not whole");
    return next.value;
  }

  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  async parse<T>(schema: z.ZodType<T>): Promise<T> {
    const text = await this.next();
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      const own = cause instanceof z.ZodError ? cause.issues.find(({ code }) => code === "custom") : undefined;
      const why = own ? `: ${formatIssue({ path: own.path.join("."), message: own.message })}` : "";
      throw this.problem(
        `“${text.slice(0, 60)}” is not a valid line at this position of a recorded study${why}`,
        cause,
      );
    }
  }

  async close(): Promise<void> {
    await this.lines.return(undefined);
  }
}

/** Error for a line that is too long for memory, which even a small gzipped file can contain. */
class LongLine extends Error {}

async function* readLines(path: string): AsyncGenerator<string, undefined> {
  // Errors of both streams, file and decompression, reach the reader of the output.
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => {}).setEncoding("utf8");
  let rest = "";
  for await (const chunk of unpacked) {
    const [first = "", ...others] = String(chunk).split("\n");
    // JavaScript concatenates unsplit texts by reference, so a long line is not copied with every chunk.
    rest += first;
    if (rest.length > maxLineCharacters) throw new LongLine();
    for (const part of others) {
      yield rest;
      rest = part;
    }
  }
  if (rest !== "") yield rest;
  return undefined;
}
