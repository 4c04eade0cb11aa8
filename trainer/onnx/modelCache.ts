import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { arch, cpus, platform } from "node:os";
import { join } from "node:path";
import { env, InferenceSession } from "onnxruntime-node";
import { ortOptions } from "./options.ts";

/** A session of the CPU provider for a model's bytes, optimised once per machine and content. */
export async function createCached(bytes: Uint8Array, folder: string, maxBytes = 256e6): Promise<InferenceSession> {
  const path = join(folder, `${contentKey(bytes)}.onnx`);
  return (await load(path)) ?? (await optimise(bytes, path, { folder, maxBytes }));
}

/** What ONNX Runtime makes of a graph depends on its version and on the processor it finds. */
function contentKey(bytes: Uint8Array): string {
  const place = [env.versions.node, platform(), arch(), cpus()[0]?.model].join("|");
  return createHash("sha256").update(place).update(bytes).digest("hex").slice(0, 40);
}

/** Null when there is none, or one that cannot be read: then it is made again. */
async function load(path: string): Promise<InferenceSession | null> {
  try {
    const optimised = readFileSync(path);
    utimesSync(path, new Date(), new Date());
    return await InferenceSession.create(optimised, { ...ortOptions("cpu"), graphOptimizationLevel: "disabled" });
  } catch {
    return null;
  }
}

/** A cache that cannot be written, on a full disk say, only costs time. */
async function optimise(
  bytes: Uint8Array,
  path: string,
  { folder, maxBytes }: { folder: string; maxBytes: number },
): Promise<InferenceSession> {
  const own = join(folder, `${randomUUID()}.part`);
  try {
    mkdirSync(folder, { recursive: true });
    const session = await InferenceSession.create(bytes, { ...ortOptions("cpu"), optimizedModelFilePath: own });
    // Several runs may make the same model at a time; each sees a whole file or none.
    renameSync(own, path);
    forgetOldest(folder, maxBytes);
    return session;
  } catch {
    if (existsSync(own)) rmSync(own);
    return InferenceSession.create(bytes, ortOptions("cpu"));
  }
}

/** Removes the models that were not used for longest until the rest fits. */
function forgetOldest(folder: string, maxBytes: number): void {
  const files = readdirSync(folder).flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats ? [{ name, bytes: stats.size, usedMs: stats.mtimeMs }] : [];
  });
  let total = 0;
  for (const { name, bytes } of files.sort((a, b) => b.usedMs - a.usedMs)) {
    total += bytes;
    if (total > maxBytes) rmSync(join(folder, name), { force: true });
  }
}
