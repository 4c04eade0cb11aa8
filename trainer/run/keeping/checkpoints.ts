import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ModelOrigin } from "#trainer/spec/event.ts";
import type { FileParts, StoredTensors } from "#trainer/policy/checkpoint.ts";
import { writeParts } from "#trainer/policy/writeParts.ts";
import { readSealed, seal } from "./seal.ts";

/**
 * All that a run carries from one iteration to the next. Chance is not among it: every draw comes from a stream named
 * by seed and iteration. Nor are environments: episodes end within the iteration that began them.
 */
export type Snapshot = {
  iteration: number;
  scalars: Readonly<Record<string, number>>;
  tensors: StoredTensors;
  /** The frozen policy that the KL is measured against. */
  reference: StoredTensors;
  /** What the reference was made from, where that is a pretrained model. */
  model?: ModelOrigin;
};

export type Checkpoints = {
  /** Atomic: a reader sees the whole file or none. Throws when it cannot be written; the older ones stay. */
  save(snapshot: Snapshot): void;
  /** The newest that reads whole and belongs to this spec, with what was wrong with newer ones. */
  latest(): { snapshot?: Snapshot; problems: string[] };
};

const numKept = 2;
const referenceFile = "reference.safetensors";
const fileOf = (iteration: number): string => `iteration-${String(iteration).padStart(8, "0")}.safetensors`;

/** Checkpoints of one run in one folder, as safetensors; the newest two are kept. */
export function makeCheckpoints(folder: string, specHash: string): Checkpoints {
  // What is no folder has none; saving there is what fails, and says so.
  const listed = (): string[] =>
    statSync(folder, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(folder)
          .filter((name) => /^iteration-\d+\.safetensors$/.test(name))
          .toSorted()
          .toReversed()
      : [];
  return {
    save({ iteration, scalars, tensors, reference, model }) {
      makeFolder(folder);
      if (!existsSync(join(folder, referenceFile))) write(folder, referenceFile, seal(reference, specHash));
      write(
        folder,
        fileOf(iteration),
        seal(tensors, specHash, {
          iteration: String(iteration),
          scalars: JSON.stringify(scalars),
          ...(model && { model: JSON.stringify(model) }),
        }),
      );
      // A draft that is still there was left by a process that was killed: a folder has one writer.
      const drafts = readdirSync(folder).filter((name) => name.endsWith(".draft"));
      for (const name of [...listed().slice(numKept), ...drafts]) rmSync(join(folder, name), { force: true });
    },
    latest() {
      const problems: string[] = [];
      for (const name of listed()) {
        try {
          const { tensors, metadata } = readSealed(join(folder, name), specHash);
          const reference = readSealed(join(folder, referenceFile), specHash).tensors;
          const scalars = toNumbers(JSON.parse(metadata["scalars"] ?? "{}"));
          const model = metadata["model"] === undefined ? undefined : ModelOrigin.parse(JSON.parse(metadata["model"]));
          const iteration = Number(metadata["iteration"]);
          return { snapshot: { iteration, scalars, tensors, reference, ...(model && { model }) }, problems };
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error));
        }
      }
      return { problems };
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot make the folder of checkpoints ${folder}: ${reason}`, { cause: error });
  }
}

/** Under another name first, flushed, then renamed, and the folder flushed: a crash leaves the old state or the new. */
function write(folder: string, name: string, { parts, numBytes }: FileParts): void {
  const draft = join(folder, `${name}.${process.pid}.draft`);
  try {
    writeParts(draft, parts());
    renameSync(draft, join(folder, name));
    flush(folder);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Error(explain(join(folder, name), numBytes, error), { cause: error });
  }
}

function flush(folder: string): void {
  if (process.platform === "win32") return; // Folders cannot be opened there, and renames are journalled.
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function explain(path: string, needed: number, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const { bavail, bsize } = statfsSync(dirname(path));
  return `cannot write checkpoint ${path} of ${megabytes(needed)}, ${megabytes(bavail * bsize)} are free: ${reason}`;
}

function toNumbers(value: unknown): Record<string, number> {
  if (typeof value !== "object" || value === null) throw new Error("its scalars are no object");
  return Object.fromEntries(Object.entries(value).map(([key, x]) => [key, Number(x)]));
}
