import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { fetchModel, type ModelRequest } from "./fetchModel.ts";
import { findSshd, makeSshServer, type SshServer } from "./testing/sshServer.ts";

const sshd = findSshd();
const why = "missing" in sshd ? ` (skipped: ${sshd.missing})` : "";
const weights = randomBytes(300_000);
const name = "model/model.safetensors";

describe.skipIf("missing" in sshd)(`a model on an ssh node, from a real OpenSSH server${why}`, () => {
  let home = "";
  let folder = "";
  let server: SshServer;
  let numRuns = 0;

  beforeAll(async () => {
    if ("missing" in sshd) return;
    home = await mkdtemp(join(tmpdir(), "arlarena-fetch-"));
    server = await makeSshServer(join(home, "server"), sshd);
  });
  afterAll(async () => {
    await server.close();
    await rm(home, { recursive: true, force: true });
  });

  /** The node has the weights. Both machines have the small configuration file, which was copied automatically. */
  beforeEach(async () => {
    numRuns += 1;
    const far = join(home, "it's far", "runs", `run${numRuns}`, "1");
    folder = join(home, "runs", `run${numRuns}`, "1");
    for (const attemptFolder of [far, folder]) {
      await mkdir(join(attemptFolder, "model"), { recursive: true });
      await writeFile(join(attemptFolder, "model/config.json"), "{}");
    }
    await writeFile(join(far, name), weights);
    await writeFile(join(far, "model/no name of ours"), "x");
    await writeFile(join(far, "large.bin"), "neither model nor adapter");
  });

  async function fetch(more: Partial<ModelRequest> = {}) {
    const progress: number[] = [];
    const { port, user, identityFile, hostKey } = server;
    const node = SshNode.parse({
      kind: "ssh",
      name: "far",
      host: "127.0.0.1",
      port,
      user,
      identityFile,
      hostKeys: [hostKey],
      folder: join(home, "it's far"),
      node: process.execPath,
      slots: { per: "core", count: 1 },
    });
    const tell: ModelRequest["tell"] = ({ doneBytes }) => void progress.push(doneBytes);
    const files = await fetchModel({ node, home, jobId: `run${numRuns}.1`, folder, pieceBytes: 1e5, tell, ...more });
    return { files, progress };
  }
  const here = async (): Promise<boolean> => (await readFile(join(folder, name))).equals(weights);

  it("comes in pieces, once, and nothing else comes with it", async () => {
    expect(await fetch()).toEqual({ files: [{ name, sizeBytes: 300_000 }], progress: [100_000, 200_000, 300_000] });
    expect(await here()).toBe(true);
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(["model", "model/config.json", name]);
    expect(await fetch()).toEqual({ files: [], progress: [] });
  });

  it("goes on where it broke off", async () => {
    const cut = async () => {
      await server.kill();
    };
    let isCut = false;
    const tell = (): void => {
      if (!isCut) void cut();
      isCut = true;
    };
    await expect(fetch({ tell, pieceBytes: 1000 })).rejects.toThrow("run the command again to continue from there");
    await server.start();
    const before = (await readFile(join(folder, `${name}.part`))).length;
    expect(before).toBeGreaterThan(0);
    expect((await fetch()).progress[0]).toBe(Math.min(before + 100_000, 300_000));
    expect(await here()).toBe(true);
  });

  it("is refused with both checksums where a part was not its own, and comes whole the next time", async () => {
    await writeFile(join(folder, `${name}.part`), randomBytes(150_000));
    await expect(fetch()).rejects.toThrow(/has the SHA-256 [0-9a-f]{64} here and [0-9a-f]{64} on far/);
    expect(await readdir(join(folder, "model"))).toEqual(["config.json"]);
    expect((await fetch()).progress).toHaveLength(3);
    expect(await here()).toBe(true);
  });

  it("is none where the node has no folder of that attempt any more", async () => {
    await rm(join(home, "it's far", "runs", `run${numRuns}`), { recursive: true });
    expect((await fetch()).files).toEqual([]);
  });
});
