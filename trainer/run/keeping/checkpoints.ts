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
import { writeParts } from "#trainer/policy/tensorFile.ts";
import { keepsState, type ExecutionSpec } from "#trainer/spec/run.ts";
import { readSealed, seal } from "./seal.ts";

/**
 * State from which a run continues after an iteration. Random states are not part of it, because every random stream
 * is derived from the seed and the iteration. Nor are environments, because every episode ends within its iteration.
 */
export type Snapshot = {
  iteration: number;
  scalars: Readonly<Record<string, number>>;
  tensors: StoredTensors;
  /** Frozen reference policy of the KL penalty. */
  reference: StoredTensors;
  model?: ModelOrigin;
};

export type Checkpoints = {
  /** Writes atomically: a reader sees the whole file or none. After an error, older checkpoints remain. */
  save(snapshot: Snapshot): void;
  /** Newest intact checkpoint of the run; `problems`: reasons why newer ones were skipped. */
  latest(): { snapshot?: Snapshot; problems: string[] };
  /** Reads the checkpoint of one iteration; undefined if none is intact and belongs to the run's specification. */
  at(iteration: number): Snapshot | undefined;
};

const numKept = 2;
const referenceFile = "reference.safetensors";
const fileOf = (iteration: number): string => `iteration-${String(iteration).padStart(8, "0")}.safetensors`;

const iterationOf = (name: string): number => Number(/\d+/.exec(name)?.[0]);

/** Keeps the newest two checkpoints of a run, and those of the iterations in `execution.keep`. */
export function makeCheckpoints(
  folder: string,
  specHash: string,
  execution: Pick<ExecutionSpec, "keep"> = {},
): Checkpoints {
  // If the path is not a folder, there are no checkpoints; `save` reports the error.
  const listed = (): string[] =>
    statSync(folder, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(folder)
          .filter((name) => /^iteration-\d+\.safetensors$/.test(name))
          .toSorted()
          .toReversed()
      : [];
  const read = (name: string): Snapshot => {
    const { tensors, metadata } = readSealed(join(folder, name), specHash);
    const reference = readSealed(join(folder, referenceFile), specHash).tensors;
    const scalars = toNumbers(JSON.parse(metadata["scalars"] ?? "{}"));
    const model = metadata["model"] === undefined ? undefined : ModelOrigin.parse(JSON.parse(metadata["model"]));
    return { iteration: Number(metadata["iteration"]), scalars, tensors, reference, ...(model && { model }) };
  };
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
      // Drafts are removed: only one process writes to the folder, so a killed process left them.
      const drafts = readdirSync(folder).filter((name) => name.endsWith(".draft"));
      const old = listed()
        .slice(numKept)
        .filter((name) => !keepsState(execution, iterationOf(name)));
      for (const name of [...old, ...drafts]) rmSync(join(folder, name), { force: true });
    },
    latest() {
      const problems: string[] = [];
      for (const name of listed()) {
        try {
          return { snapshot: read(name), problems };
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error));
        }
      }
      return { problems };
    },
    at(iteration) {
      try {
        return read(fileOf(iteration));
      } catch {
        return undefined;
      }
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

/** Flushes a draft, renames it, and flushes the folder, which has the old or the new state after a crash. */
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
  if (process.platform === "win32") return; // Windows cannot flush folders, but journals renames itself.
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
