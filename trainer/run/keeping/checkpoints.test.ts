import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCheckpoints, type Snapshot } from "./checkpoints.ts";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "arlarena-checkpoints-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Snapshot with a small array that contains the iteration number, and an array of `numValues` values. */
function snapshotOf(iteration: number, numValues = 3): Snapshot {
  const values = Float32Array.from({ length: numValues }, (_, i) => iteration + i / 7);
  return {
    iteration,
    scalars: { optimizerStep: 2 * iteration, klCoef: 0.1 },
    tensors: { "policy/a": { shape: [numValues], values } },
    reference: { "policy/a": { shape: [1], values: Float32Array.of(Math.PI) } },
  };
}

const fileOf = (iteration: number): string => join(folder, `iteration-0000000${iteration}.safetensors`);

describe("checkpoints of a run", () => {
  it("come back to the last bit, NaN and negative zero included", () => {
    const checkpoints = makeCheckpoints(folder, "abc");
    const odd = Float32Array.of(NaN, -0, Infinity, 1e-40, 0.1);
    const snapshot = { ...snapshotOf(1), tensors: { "policy/odd": { shape: [5], values: odd } } };
    checkpoints.save(snapshot);
    expect(checkpoints.latest()).toEqual({ snapshot, problems: [] });
  });

  it("are none in a folder that is not there", () => {
    expect(makeCheckpoints(join(folder, "nowhere"), "abc").latest()).toEqual({ problems: [] });
  });

  it("are kept two at a time", () => {
    const checkpoints = makeCheckpoints(folder, "abc");
    for (const iteration of [2, 4, 6, 8]) checkpoints.save(snapshotOf(iteration));
    expect(readdirSync(folder).filter((name) => name.startsWith("iteration"))).toHaveLength(2);
    expect(checkpoints.latest().snapshot).toEqual(snapshotOf(8));
  });

  const damages = {
    "cut short": (path: string) => truncateSync(path, readFileSync(path).length - 3),
    "cut within its header": (path: string) => truncateSync(path, 20),
    empty: (path: string) => truncateSync(path, 0),
    "of other content": (path: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 2] = (bytes[bytes.length - 2] ?? 0) ^ 64;
      writeFileSync(path, bytes);
    },
    "not a checkpoint at all": (path: string) => writeFileSync(path, "hello, this is no file of tensors"),
  };
  it.each(Object.entries(damages))("one that is %s is passed over for the one before, with the reason", (_, damage) => {
    const checkpoints = makeCheckpoints(folder, "abc");
    checkpoints.save(snapshotOf(1));
    checkpoints.save(snapshotOf(2));
    damage(fileOf(2));
    const { snapshot, problems } = checkpoints.latest();
    expect(snapshot).toEqual(snapshotOf(1));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^iteration-00000002.safetensors: ./);
  });

  it("without a whole reference policy are of no use, and that is said of each", () => {
    const checkpoints = makeCheckpoints(folder, "abc");
    checkpoints.save(snapshotOf(1));
    checkpoints.save(snapshotOf(2));
    truncateSync(join(folder, "reference.safetensors"), 9);
    expect(checkpoints.latest().snapshot).toBeUndefined();
    expect(checkpoints.latest().problems).toHaveLength(2);
  });

  it("of another spec are refused by name", () => {
    makeCheckpoints(folder, "abc").save(snapshotOf(1));
    const { snapshot, problems } = makeCheckpoints(folder, "def").latest();
    expect(snapshot).toBeUndefined();
    expect(problems).toEqual(["iteration-00000001.safetensors: it belongs to spec abc, not def"]);
  });

  it("are not confused by a draft that a crash left behind", () => {
    const checkpoints = makeCheckpoints(folder, "abc");
    checkpoints.save(snapshotOf(1));
    appendFileSync(join(folder, "iteration-00000002.safetensors.77.draft"), "half");
    expect(checkpoints.latest()).toEqual({ snapshot: snapshotOf(1), problems: [] });
    checkpoints.save(snapshotOf(3));
    expect(readdirSync(folder).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });

  it("in a place that is no folder are a clear error", () => {
    const path = join(folder, "file");
    writeFileSync(path, "");
    expect(() => makeCheckpoints(path, "abc").save(snapshotOf(1))).toThrow(
      `cannot make the folder of checkpoints ${path}`,
    );
  });

  it("on a full disk are an error that says what was needed and what was free, and the last good one stays", (test) => {
    const disk = join(folder, "disk");
    if (!mountSmallDisk(disk, 1000)) return test.skip("mounting a small file system takes Linux and root");
    try {
      const checkpoints = makeCheckpoints(join(disk, "checkpoints"), "abc");
      checkpoints.save(snapshotOf(1, 100_000));
      checkpoints.save(snapshotOf(2, 100_000));
      expect(() => checkpoints.save(snapshotOf(3, 100_000))).toThrow(
        /^cannot write checkpoint .*iteration-00000003.safetensors of 0.4 MB, 0.2 MB are free: ENOSPC/,
      );
      expect(checkpoints.latest()).toEqual({ snapshot: snapshotOf(2, 100_000), problems: [] });
      expect(readdirSync(join(disk, "checkpoints")).filter((name) => name.endsWith(".draft"))).toEqual([]);
    } finally {
      unmountSmallDisk(disk);
    }
  });
});
