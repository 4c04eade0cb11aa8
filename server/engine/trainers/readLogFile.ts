import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { AppError } from "#packages/base";
import type { ForeignFile } from "#server/domain/trainers/import/foreignRun.ts";
import { readForeignFile } from "#server/domain/trainers/import/readForeignFile.ts";

/** Maximum unpacked bytes: the longest string in JavaScript. */
const maxUnpackedBytes = 2 ** 29 - 2 ** 16;

/** Reads the runs in a file of another trainer or tracker, compressed with gzip or not. */
export async function readLogFile(fileName: string, bytes: Uint8Array): Promise<ForeignFile> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return readForeignFile(fileName, bytes);
  const { unpacked, problem } = await gunzip(fileName, bytes);
  if (unpacked.length === 0) throw new AppError("bad_input", `${fileName}: its gzip cannot be unpacked (${problem})`);
  const file = readForeignFile(fileName, unpacked);
  if (problem === undefined) return file;
  const note = `its gzip is cut or damaged (${problem}): the first ${unpacked.length.toLocaleString("en-US")} bytes were read`;
  return { ...file, notes: [note, ...file.notes] };
}

/** Unpacked bytes up to the point where the file is truncated or damaged. */
async function gunzip(fileName: string, bytes: Uint8Array): Promise<{ unpacked: Buffer; problem: string | undefined }> {
  const stream = createGunzip();
  const chunks: Buffer[] = [];
  let length = 0;
  let problem: string | undefined;
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxUnpackedBytes) stream.destroy(tooLarge(fileName));
  });
  const ended = once(stream, "end").catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    problem = error instanceof Error ? error.message : String(error);
  });
  for (let at = 0; at < bytes.length && !stream.destroyed; at += chunkBytes) {
    if (!stream.write(bytes.subarray(at, at + chunkBytes)) && !stream.destroyed) {
      await Promise.race([once(stream, "drain").catch(() => undefined), ended]);
    }
  }
  if (!stream.destroyed) stream.end();
  await ended;
  return { unpacked: Buffer.concat(chunks), problem };
}

const chunkBytes = 1 << 16;

function tooLarge(fileName: string): AppError {
  return new AppError("too_large", `${fileName}: unpacked it has more than ${maxUnpackedBytes} bytes; split it first`);
}
