import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "@huggingface/hub";
import { z } from "zod";
import type { Ask } from "./request.ts";
import { writeWhole } from "../writeWhole.ts";

const count = z.int().min(0);
const Entry = z.object({
  size: count,
  blob_id: z.string(),
  lfs_sha256: z.string().optional(),
  lfs_size: count.optional(),
});
const Tree = z.object({ format_version: z.literal(1), files: z.record(z.string(), Entry) });

/** Size and checksum of a file in a commit. The checksum is the Git object id, or the SHA-256 of a large file. */
export type ListedFile = { readonly bytes: number; readonly checksum: Checksum };
export type Checksum = { readonly kind: "sha256" | "gitBlob"; readonly hex: string };
export type Listing = ReadonlyMap<string, ListedFile>;

/** Returns the path of a commit's list of files in huggingface_hub's cache. The list of a commit never changes. */
const pathOf = (store: string, commit: string): string => join(store, "trees", `${commit}.json`);

/** Reads a commit's cached list of files; undefined if it was never requested, or if the file has another format. */
export function readListing(store: string, commit: string): Listing | undefined {
  const path = pathOf(store, commit);
  if (!existsSync(path)) return undefined;
  try {
    const { files } = Tree.parse(JSON.parse(readFileSync(path, "utf8")));
    return new Map(Object.entries(files).map(([name, entry]) => [name, toListed(entry)]));
  } catch {
    return undefined;
  }
}

export async function fetchListing(
  store: string,
  { name, commit }: { name: string; commit: string },
  { endpoint, ask }: { endpoint: string; ask: Ask },
): Promise<Listing> {
  const files: Record<string, z.infer<typeof Entry>> = {};
  const asked = { repo: { type: "model", name }, revision: commit, recursive: true, hubUrl: endpoint } as const;
  for await (const { type, path, size, oid, lfs } of listFiles({ ...asked, fetch: fetchBy(ask) })) {
    if (type !== "file" || oid === undefined) continue;
    files[path] = { size, blob_id: oid, ...(lfs && { lfs_sha256: lfs.oid, lfs_size: lfs.size }) };
  }
  writeWhole(pathOf(store, commit), `${JSON.stringify({ format_version: 1, files })}\n`);
  return new Map(Object.entries(files).map(([path, entry]) => [path, toListed(entry)]));
}

function toListed({ size, blob_id, lfs_sha256, lfs_size }: z.infer<typeof Entry>): ListedFile {
  if (lfs_sha256 === undefined) return { bytes: size, checksum: { kind: "gitBlob", hex: blob_id } };
  return { bytes: lfs_size ?? size, checksum: { kind: "sha256", hex: lfs_sha256 } };
}

/** Makes a `fetch` function for the huggingface library that sends its requests through `ask`. */
export function fetchBy(ask: Ask): typeof fetch {
  return (input, init) => ask(input instanceof Request ? input.url : String(input), init);
}
