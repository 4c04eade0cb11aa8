import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readLogFile } from "./readImport.ts";

const text = Array.from({ length: 4000 }, (_, i) => `{"step": ${i + 1}, "reward": ${Math.sin(i)}}\n`).join("");
const read = async (bytes: Uint8Array) => {
  const { runs, notes } = await readLogFile("grpo_s1.jsonl.gz", bytes);
  return { numSteps: runs[0]?.lines.length ?? 0, notes };
};

describe("a log compressed with gzip", () => {
  it("is read, also in two parts", async () => {
    expect(await read(gzipSync(text))).toEqual({ numSteps: 4000, notes: [] });
    const parts = Buffer.concat([gzipSync(text.slice(0, 50_000)), gzipSync(text.slice(50_000))]);
    expect((await read(parts)).numSteps).toBe(4000);
  });

  it("is read as far as it goes where it is cut or damaged, and that is noted", async () => {
    const whole = gzipSync(text);
    const cut = await read(whole.subarray(0, whole.length >> 1));
    expect(cut.numSteps).toBeGreaterThan(1000);
    expect(cut.numSteps).toBeLessThan(3000);
    expect(cut.notes[0]).toContain("its gzip is cut or damaged (unexpected end of file)");
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, whole.length >> 1);
    expect((await read(damaged)).notes[0]).toContain("its gzip is cut or damaged");
  });

  it("is refused where nothing of it can be unpacked", async () => {
    await expect(read(Uint8Array.of(0x1f, 0x8b, 1, 2, 3))).rejects.toThrow("its gzip cannot be unpacked");
  });
});
