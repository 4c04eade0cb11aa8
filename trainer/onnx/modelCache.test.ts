import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import * as ops from "#trainer/graph/ops.ts";
import { encode } from "./encode.ts";
import { createCached } from "./session.ts";
import { makeSession } from "./session.ts";

const parent = mkdtempSync(join(tmpdir(), "arlarena-models-"));
let cacheFolder = parent;
beforeEach(() => {
  cacheFolder = mkdtempSync(join(parent, "cache-"));
});
afterAll(() => rmSync(parent, { recursive: true }));

const x = ops.input("x", [8, 16]);
const graph = { y: ops.softmax(ops.matmul(ops.rmsNorm(x, 1e-6), ops.transpose(x))) };
const feeds = { x: Float32Array.from({ length: 128 }, (_, i) => Math.sin(i)) };

async function resultOf(options: { cacheFolder?: string }): Promise<Float32Array> {
  const session = await makeSession(graph, options);
  const { y } = await session.run(feeds);
  await session.close();
  return y;
}

describe("the cache of compiled graphs", () => {
  it("gives the same bits without a cache, when it is filled and when it is read", async () => {
    const plain = await resultOf({});
    expect(await resultOf({ cacheFolder })).toEqual(plain);
    expect(readdirSync(cacheFolder)).toHaveLength(1);
    expect(await resultOf({ cacheFolder })).toEqual(plain);
    expect(readdirSync(cacheFolder)).toHaveLength(1);
  });

  it("makes a damaged model again", async () => {
    const plain = await resultOf({ cacheFolder });
    const path = join(cacheFolder, readdirSync(cacheFolder)[0] ?? "");
    const { size } = statSync(path);
    writeFileSync(path, "torn");
    expect(await resultOf({ cacheFolder })).toEqual(plain);
    expect(statSync(path).size).toBe(size);
  });

  it("does without where it cannot write", async () => {
    const file = join(cacheFolder, "file");
    writeFileSync(file, "");
    expect(await resultOf({ cacheFolder: join(file, "folder") })).toEqual(await resultOf({}));
  });

  it("forgets the models that were not used for longest", async () => {
    const scaled = (factor: number): Uint8Array => encode({ y: ops.mul(x, factor) });
    await (await createCached(scaled(2), cacheFolder)).release();
    const [first = ""] = readdirSync(cacheFolder);
    const { size } = statSync(join(cacheFolder, first));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await (await createCached(scaled(3), cacheFolder, { maxBytes: 1.5 * size })).release();
    const left = readdirSync(cacheFolder);
    expect(left).toHaveLength(1);
    expect(left).not.toContain(first);
  });
});
