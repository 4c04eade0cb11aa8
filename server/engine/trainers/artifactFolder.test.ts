import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import {
  artifactLimits,
  findArtifact,
  listAllArtifacts,
  listArtifacts,
  putArtifact,
  removeArtifact,
} from "./artifactFolder.ts";

const home = await mkdtemp(join(tmpdir(), "arlarena-artifacts-"));
afterAll(() => rm(home, { recursive: true, force: true }));
let root = "";
let numRoots = 0;
beforeEach(() => void (root = join(home, `${++numRoots}`, "artifacts")));

async function* bytes(...texts: string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

describe("a run's artifacts", () => {
  it("are kept, replaced, listed folder by folder and removed", async () => {
    await putArtifact(root, { path: "model/weights.bin", content: bytes("a", "b") });
    await putArtifact(root, { path: "model/weights.bin", content: bytes("abc") });
    await putArtifact(root, { path: "notes ü.txt", content: bytes() });
    expect(await listArtifacts(root, "")).toEqual([
      { path: "model", isFolder: true, sizeBytes: 0 },
      { path: "notes ü.txt", isFolder: false, sizeBytes: 0 },
    ]);
    expect(await listArtifacts(root, "model")).toEqual([{ path: "model/weights.bin", isFolder: false, sizeBytes: 3 }]);
    const found = await findArtifact(root, "model/weights.bin");
    expect(await readFile(found?.path ?? "", "utf8")).toBe("abc");
    await removeArtifact(root, "model");
    expect((await listAllArtifacts(root, 10)).map(({ path }) => path)).toEqual(["notes ü.txt"]);
    await expect(removeArtifact(root, "model")).rejects.toThrow('no artifact "model"');
  });

  it.each(["../x", "a/../../x", "a\\..\\x", "a\0b", "", "n".repeat(201), Array(40).fill("d").join("/")])(
    "refuses the path %j",
    async (path) => {
      await expect(putArtifact(root, { path, content: bytes("x") })).rejects.toThrow(/artifact/);
      expect(await listAllArtifacts(root, 10)).toEqual([]);
    },
  );

  it("never follows a link out of the run's folder", async () => {
    await mkdir(root, { recursive: true });
    await writeFile(join(home, "secret"), "secret");
    await symlink(home, join(root, "out"));
    await expect(putArtifact(root, { path: "out/new", content: bytes("x") })).rejects.toThrow("leads out");
    expect(await findArtifact(root, "out/secret")).toBeUndefined();
    expect(await listArtifacts(root, "out")).toEqual([]);
  });

  it("count with hidden files and uploads under way, and take no name that would be hidden", async () => {
    await expect(putArtifact(root, { path: "a/.upload-x", content: bytes("x") })).rejects.toThrow(
      "names that begin with",
    );
    await mkdir(join(root, "a"), { recursive: true });
    await writeFile(join(root, ".upload-1"), "abc");
    await writeFile(join(root, "a/.upload-2"), "abc");
    const sent = { path: "new", content: bytes("abc") };
    await expect(putArtifact(root, sent, { ...artifactLimits, runBytes: 8 })).rejects.toThrow("of a run");
    await expect(putArtifact(root, sent, { ...artifactLimits, numFiles: 2 })).rejects.toThrow("at most 2");
    await putArtifact(root, { path: "new", content: bytes("abc") }, { ...artifactLimits, runBytes: 9, numFiles: 3 });
    expect((await listAllArtifacts(root, 10)).map(({ path }) => path)).toEqual(["new"]);
  });

  it("has a limit for a file, and leaves nothing of one that is too large", async () => {
    async function* endless() {
      for (;;) yield new Uint8Array(1 << 24);
    }
    await expect(
      putArtifact(root, { path: "big", content: endless() }, { ...artifactLimits, fileBytes: 1 << 25 }),
    ).rejects.toThrow("32 MB");
    await expect(
      putArtifact(root, { path: "two", content: bytes("abc") }, { ...artifactLimits, runBytes: 2 }),
    ).rejects.toThrow("of a run");
    expect(await listAllArtifacts(root, 10)).toEqual([]);
  });
});
