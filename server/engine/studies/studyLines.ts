import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { z } from "zod";
import { AppError, formatIssue, unpackLines } from "#packages/base";
import { PackedBlock, packedStart } from "./studyFile.ts";

/** Maximum characters of a line, which contains one iteration, one episode, or a block of packed lines. */
const maxLineCharacters = 64 * 2 ** 20;

/** Reads the lines of a recorded study in sequence and adds line numbers to errors. */
export class StudyLines {
  private readonly lines: AsyncGenerator<string>;
  private isPacked = false;
  private numRead = 0;

  constructor(path: string) {
    this.lines = this.read(path);
  }

  private async *read(path: string): AsyncGenerator<string, undefined> {
    this.isPacked = (await readForm(path)) === "packed";
    return yield* readLines(path, this.isPacked);
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

  /** Returns the next lines of logs and episodes; a packed study stores them in blocks. */
  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      for (const line of this.isPacked ? await this.unpack() : [await this.next()]) taken.push(line);
    }
    if (taken.length > count) throw this.problem(`the block has ${taken.length - count} lines too many`);
    return taken;
  }

  private async unpack(): Promise<string[]> {
    const block = await this.parse(PackedBlock);
    try {
      return unpackLines(block, maxLineCharacters);
    } catch (cause) {
      throw this.problem(`a block of packed lines is damaged: ${cause instanceof Error ? cause.message : ""}`, cause);
    }
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

/** Returns the form of a file by its first bytes: undefined if it is no recorded study and no gzip. */
export async function readForm(path: string): Promise<"gzip" | "packed" | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(packedStart.length), 0, packedStart.length, 0);
    if (buffer.toString("latin1", 0, bytesRead) === packedStart) return "packed";
    return bytesRead > 1 && buffer[0] === 0x1f && buffer[1] === 0x8b ? "gzip" : undefined;
  } finally {
    await file.close();
  }
}

async function* readLines(path: string, isPacked: boolean): AsyncGenerator<string, undefined> {
  const file = createReadStream(path, { start: isPacked ? packedStart.length : 0 });
  // Errors of both streams, file and decompression, reach the reader of the output.
  const unpacked = pipeline(file, isPacked ? createBrotliDecompress() : createGunzip(), () => {}).setEncoding("utf8");
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
