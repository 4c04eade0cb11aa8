import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";
import { fetchBlob } from "./fetchBlob.ts";

it("a file of which a full disk took a part is none, and its checksum is not asked of what was never written", async (test) => {
  const home = mkdtempSync(join(tmpdir(), "arlarena-blob-"));
  const disk = join(home, "disk");
  if (!mountSmallDisk(disk, 64)) return test.skip("mounting a small file system takes Linux and root");
  const fetchInto = (name: string, bytes: number): Promise<void> => {
    const content = new Uint8Array(bytes).fill(7);
    const checksum = { kind: "sha256", hex: createHash("sha256").update(content).digest("hex") } as const;
    const ask = (): Promise<Response> => Promise.resolve(new Response(content));
    const patience = { stallMs: 1000, leftMs: 1000, pauseMs: 1 };
    return fetchBlob({ name, url: "http://hub/file", path: join(disk, name), bytes, checksum }, { ask, patience });
  };
  try {
    await fetchInto("small", 30_000);
    expect(readFileSync(join(disk, "small"))).toHaveLength(30_000);
    await expect(fetchInto("large", 100_000)).rejects.toThrow("ENOSPC");
    expect(readdirSync(disk).filter((name) => !name.endsWith(".part"))).toEqual(["small"]);
  } finally {
    unmountSmallDisk(disk);
    rmSync(home, { recursive: true });
  }
});
