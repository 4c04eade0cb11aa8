import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession } from "onnxruntime-node";
import { forgetOldest } from "./forgetOldest.ts";
import { placeOfComputation } from "./placeOfComputation.ts";
import { ortOptions, type OrtSettings } from "./options.ts";

/** Creates a session of the CPU provider for a model's bytes, optimised once per machine and content. */
export async function createCached(
  bytes: Uint8Array,
  folder: string,
  { maxBytes = 256e6, ...settings }: { maxBytes?: number } & OrtSettings = {},
): Promise<InferenceSession> {
  const path = join(folder, `${contentKey(bytes)}.onnx`);
  const options = ortOptions("cpu", settings);
  return (await load(path, options)) ?? (await optimise(bytes, path, { folder, maxBytes, options }));
}

/** ONNX Runtime's optimised graph depends on its version and on the processor. */
function contentKey(bytes: Uint8Array): string {
  return createHash("sha256").update(placeOfComputation()).update(bytes).digest("hex").slice(0, 40);
}

/** Loads an optimised model; null where there is none or it is unreadable. It is then created again. */
async function load(path: string, options: InferenceSession.SessionOptions): Promise<InferenceSession | null> {
  try {
    const optimised = readFileSync(path);
    utimesSync(path, new Date(), new Date());
    return await InferenceSession.create(optimised, { ...options, graphOptimizationLevel: "disabled" });
  } catch {
    return null;
  }
}

/** A cache that cannot be written, for example on a full disk, only costs time. */
async function optimise(
  bytes: Uint8Array,
  path: string,
  { folder, maxBytes, options }: { folder: string; maxBytes: number; options: InferenceSession.SessionOptions },
): Promise<InferenceSession> {
  const draft = join(folder, `${randomUUID()}.part`);
  try {
    mkdirSync(folder, { recursive: true });
    const session = await InferenceSession.create(bytes, { ...options, optimizedModelFilePath: draft });
    // Several runs may write the same model at once. The rename shows each a whole file or none.
    renameSync(draft, path);
    forgetOldest(folder, maxBytes);
    return session;
  } catch {
    if (existsSync(draft)) rmSync(draft);
    return InferenceSession.create(bytes, options);
  }
}
