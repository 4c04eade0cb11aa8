import { mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { ignoreMissing } from "../processIdentity.ts";
import { growingFiles, type Piece } from "./protocol.ts";

/** Returns, for each append-only file of a job, the number of bytes already copied to this machine. */
export async function readHave(folder: string): Promise<Record<string, number>> {
  const sizes = growingFiles.map(async (name) => [name, await sizeOf(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(sizes));
}

/** Appends a piece to the local copy. A piece that does not start at the copy's end is skipped and requested again. */
export async function keepPiece(folder: string, piece: Piece): Promise<void> {
  if (piece.base64 === "" || !growingFiles.some((name) => name === piece.name)) return;
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, piece.name), "a");
  try {
    if ((await file.stat()).size === piece.fromByte) await file.writeFile(Buffer.from(piece.base64, "base64"));
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
