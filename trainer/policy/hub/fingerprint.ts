import { writeWhole } from "../writeWhole.ts";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { indexFile, listWeightFiles, modelFiles } from "../llama/safetensors.ts";

/** SHA-256 hashes of the files that define a pretrained model, in hexadecimal. */
export type Fingerprint = {
  readonly files: ReadonlyMap<string, string>;
  /** Hash of all files of the model: `sha256sum` of the output lines of `sha256sum` over the files, sorted by name. */
  readonly sha256: string;
};

/** Hashes a model's files; `cacheFolder` has hashes by path, valid while size, times and inode are unchanged. */
export async function fingerprintModel(folder: string, cacheFolder?: string): Promise<Fingerprint> {
  const there = [...modelFiles, indexFile].filter((name) => existsSync(join(folder, name)));
  const names = [...new Set([...there, ...listWeightFiles(folder)])].toSorted();
  const files = new Map<string, string>();
  for (const name of names) files.set(name, await sha256Of(join(folder, name), cacheFolder));
  const lines = [...files].map(([name, hex]) => `${hex}  ${name}\n`);
  return { files, sha256: createHash("sha256").update(lines.join("")).digest("hex") };
}

const Known = z.object({ path: z.string(), state: z.string(), sha256: z.string() });
/** Minimum age in ms of a change before its hash is cached: a second change could have the same timestamp. */
const restMs = 2000;

async function sha256Of(path: string, cacheFolder: string | undefined): Promise<string> {
  const state = stateOf(path);
  const note = cacheFolder && join(cacheFolder, "checksums", `${nameOf(path)}.json`);
  const known = note ? readKnown(note) : undefined;
  if (known && known.path === resolve(path) && known.state === state.text) return known.sha256;
  const sha256 = await readThrough(path);
  const isSettled = Date.now() - state.changedMs > restMs && stateOf(path).text === state.text;
  if (note && isSettled) keep(note, JSON.stringify({ path: resolve(path), state: state.text, sha256 }));
  return sha256;
}

function stateOf(path: string): { text: string; changedMs: number } {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return { text: [dev, ino, size, mtimeNs, ctimeNs].join(" "), changedMs: Number(changed / 1_000_000n) };
}

function nameOf(path: string): string {
  return createHash("sha256").update(resolve(path)).digest("hex").slice(0, 32);
}

function readKnown(note: string): z.infer<typeof Known> | undefined {
  try {
    return Known.parse(JSON.parse(readFileSync(note, "utf8")));
  } catch {
    return undefined;
  }
}

function keep(note: string, content: string): void {
  try {
    writeWhole(note, content);
  } catch {
    // A hash that cannot be cached, as on a full disk, is computed again by the next run.
  }
}

async function readThrough(path: string): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    const buffer = new Uint8Array(2 ** 22);
    for (let more = await file.read(buffer); more.bytesRead > 0; more = await file.read(buffer)) {
      hash.update(buffer.subarray(0, more.bytesRead));
    }
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}
