import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDelivery } from "./delivery.ts";
import { keepLine } from "./observe.ts";
import { readLines } from "./observe.ts";

let folder = "";
let fd = 0;
const [there, here, log] = ["there", "here", "log"].map((name) => () => join(folder, name)) as [
  () => string,
  () => string,
  () => string,
];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "arlarena-delivery-"));
  mkdirSync(join(there(), "checkpoints"), { recursive: true });
  mkdirSync(here());
  writeFileSync(log(), "Runtime env is setting up.\nARLARENA is not ours\n");
  fd = openSync(log(), "a");
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

/** Returns the last lines of the log, as Ray does. */
async function readTail(numLines: number): Promise<string> {
  const lines = readFileSync(log(), "utf8").split("\n").slice(0, -1);
  return `${(numLines === -1 ? lines : lines.slice(-numLines)).join("\n")}\n`;
}

async function bring(next: number): Promise<number> {
  const lines = await readLines(readTail, next);
  for (const line of lines) await keepLine(here(), line);
  return next + lines.length;
}

const readBoth = (name: string): [Buffer, Buffer] => [
  readFileSync(join(there(), name)),
  readFileSync(join(here(), name)),
];

describe("a folder that is delivered through a job's log", () => {
  it("arrives whole, whatever else is printed and however often it is looked at", async () => {
    const delivery = makeDelivery({ folder: there(), fd });
    let next = 0;
    for (let i = 0; i < 300; i++) {
      appendFileSync(join(there(), "events.jsonl"), `{"line":${i}}\n`);
      if (i % 3 === 0) delivery.look();
      if (i % 7 === 0) appendFileSync(log(), "(raylet) something about memory\n");
      if (i % 50 === 0) next = await bring(next);
    }
    const weights = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * i) % 251));
    writeFileSync(join(there(), "checkpoints/iteration-00000002.safetensors"), weights);
    writeFileSync(join(there(), "checkpoints/iteration-00000003.safetensors.7.draft"), "half");
    writeFileSync(join(there(), "policy.onnx"), "weights");
    await delivery.end(75);
    next = await bring(next);
    for (const name of ["events.jsonl", "policy.onnx", "checkpoints/iteration-00000002.safetensors"]) {
      const [one, other] = readBoth(name);
      expect(one.equals(other), name).toBe(true);
    }
    expect(readFileSync(join(here(), "exit"), "utf8")).toBe("75\n");
    expect(() => readFileSync(join(here(), "checkpoints/iteration-00000003.safetensors.7.draft"))).toThrow("ENOENT");
    // A reader that starts again, as after a restart, reads the same lines again.
    expect(await bring(0)).toBe(next);
    expect(readBoth("events.jsonl")[1].equals(readBoth("events.jsonl")[0])).toBe(true);
  });

  it("brings the newest checkpoint while the trainer works, at growing intervals", async () => {
    let nowMs = 0;
    const delivery = makeDelivery({ folder: there(), fd, now: () => nowMs });
    const arrived: number[] = [];
    let next = 0;
    for (let minute = 1; minute <= 60; minute++) {
      nowMs = minute * 60_000;
      writeFileSync(
        join(there(), `checkpoints/iteration-${String(minute).padStart(8, "0")}.safetensors`),
        String(minute),
      );
      delivery.look();
      const before = next;
      next = await bring(next);
      if (next > before) arrived.push(minute);
    }
    expect(readdirSync(join(here(), "checkpoints")), "two are kept here, too").toHaveLength(2);
    expect(arrived.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(arrived.length, "an hour brings some thirty of them").toBeLessThan(35);
    expect(Math.max(...arrived.map((minute, i) => minute - (arrived[i - 1] ?? 0)))).toBeLessThanOrEqual(6);
  });

  it("keeps nothing that leads out of the folder, and nothing after a gap", async () => {
    const line = (line: object) => `ARLARENA ${JSON.stringify(line)}\n`;
    const piece = { fromByte: 0, sizeBytes: 1, base64: "YQ==" };
    appendFileSync(log(), line({ n: 0, name: "../out", ...piece }) + line({ n: 2, name: "b", ...piece }));
    expect(await readLines(readTail, 0)).toEqual([]);
    appendFileSync(log(), line({ n: 0, name: "a", ...piece }).slice(0, 30));
    expect(await readLines(readTail, 0), "not whole yet").toEqual([]);
    appendFileSync(log(), `\n${line({ n: 0, name: "a", ...piece })}`);
    expect(await readLines(readTail, 0)).toEqual([{ n: 0, name: "a", ...piece }]);
  });
});
