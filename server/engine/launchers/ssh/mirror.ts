import { mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { growingFiles, type Piece } from "./protocol.ts";

/** Returns, for each append-only file of a job, the number of bytes already copied to this machine. */
export async function readHave(folder: string): Promise<Record<string, number>> {
  const sizes = growingFiles.map(async (name) => [name, await sizeOf(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(sizes));
}

/** Adds to the local copy what it lacks of a piece. A piece that starts beyond the copy's end is skipped. */
export async function keepPiece(folder: string, piece: Piece): Promise<void> {
  if (piece.base64 === "" || !growingFiles.some((name) => name === piece.name)) return;
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, piece.name), "a");
  try {
    // A full disk may have cut an earlier write of the piece.
    const missingFrom = (await file.stat()).size - piece.fromByte;
    if (missingFrom >= 0) await file.writeFile(Buffer.from(piece.base64, "base64").subarray(missingFrom));
  } finally {
    await file.close();
  }
}

/** True if these files have been copied from the ssh node to this machine in full. */
export async function isComplete(folder: string, pieces: readonly Piece[]): Promise<boolean> {
  const sizes = await Promise.all(pieces.map(({ name }) => sizeOf(join(folder, name))));
  return pieces.every(({ sizeBytes }, i) => (sizes[i] ?? 0) >= sizeBytes);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(ignoreMissing))?.size ?? 0;
}
