import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { growingFiles } from "../ssh/protocol.ts";
import { keepPiece } from "../ssh/mirror.ts";
import { writeWhole } from "../writeWhole.ts";
import type { CourierLine, FilePiece } from "./protocol.ts";

/** Writes a line's content into the attempt's folder. Idempotent. */
export async function keepLine(folder: string, line: CourierLine): Promise<void> {
  if ("exit" in line) return await writeWhole(join(folder, "exit"), `${line.exit}\n`);
  if (growingFiles.some((name) => name === line.name)) return await keepPiece(folder, line);
  await keepPart(folder, line);
}

/** Other files arrive in pieces under a temporary name and are renamed when complete. */
async function keepPart(folder: string, { name, fromByte, sizeBytes, base64 }: FilePiece): Promise<void> {
  const path = join(folder, name);
  const draft = `${path}.part`;
  const bytes = Buffer.from(base64, "base64");
  await mkdir(dirname(path), { recursive: true });
  const file = await open(draft, fromByte === 0 ? "w" : "r+").catch((error: unknown) => {
    // Already complete; it is being read again.
    if (fromByte > 0) return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    await file.write(bytes, 0, bytes.length, fromByte);
  } finally {
    await file.close();
  }
  if (fromByte + bytes.length < sizeBytes) return;
  await rename(draft, path);
  if (isCheckpoint(basename(path))) await dropOlder(dirname(path));
}

const isCheckpoint = (name: string): boolean => /^iteration-\d+\.safetensors$/.test(name);

/** Keeps two checkpoints, like the trainer. */
async function dropOlder(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(isCheckpoint).toSorted();
  for (const name of names.slice(0, -2)) await rm(join(folder, name), { force: true });
}
