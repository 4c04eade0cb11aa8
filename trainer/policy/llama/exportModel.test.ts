import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";
import { fingerprintModel } from "../hub/fingerprint.ts";
import { exportModel } from "./exportModel.ts";
import { readModelConfig } from "./readModel.ts";
import { readWeights, valuesOf } from "./weights.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-export-"));
afterAll(() => rmSync(home, { recursive: true }));
const from = join(import.meta.dirname, "testing/models/qwen3");
const config = readModelConfig(from);
const weights = readWeights(from, config);
/** Path of a Python interpreter with transformers, PyTorch and safetensors. */
const python = process.env["ARLARENA_TRANSFORMERS_PYTHON"];

function exported(name: string, shardBytes?: number): string {
  const to = join(home, name);
  exportModel({ from, to, ...(shardBytes && { shardBytes }) }, config, valuesOf(weights));
  return join(to, "model");
}

const weightFiles = (folder: string): string[] => readdirSync(folder).filter((name) => /safetensors/.test(name));

describe("a model that is written", () => {
  it("is one file, the same to the last byte as ever", () => {
    const folder = exported("single");
    expect(weightFiles(folder)).toEqual(["model.safetensors"]);
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, "model.safetensors")))
      .digest("hex");
    expect(sha256).toBe("662484578c77b276d2576666d48730061d7117a41a341b18914b14d6bb0b53f3");
    expect(readWeights(folder, readModelConfig(folder))).toEqual(weights);
  });

  it("is several files with an index where it takes more than a shard, and a tensor larger than one has its own", () => {
    const folder = exported("shards", 2500);
    const files = weightFiles(folder);
    expect(files.slice(0, 2)).toEqual(["model-00001-of-00014.safetensors", "model-00002-of-00014.safetensors"]);
    expect(files.at(-1)).toBe("model.safetensors.index.json");
    const { metadata, weight_map } = JSON.parse(readFileSync(join(folder, files.at(-1) ?? ""), "utf8"));
    const numBytes = Object.values(weights).reduce((total, { byteLength }) => total + byteLength, 0);
    expect(metadata).toEqual({ total_size: numBytes });
    expect([...new Set(Object.values(weight_map))]).toEqual(files.slice(0, -1));
    expect(weight_map["model.embed_tokens.weight"]).toBe(files[0]);
    expect(readWeights(folder, readModelConfig(folder))).toEqual(weights);
  });

  it("is the same folder a second time, also where it was one file before", async () => {
    const whole = exported("again");
    const { sha256 } = await fingerprintModel(exported("again", 5000));
    expect(existsSync(join(whole, "model.safetensors"))).toBe(false);
    expect((await fingerprintModel(exported("other", 5000))).sha256).toBe(sha256);
  });

  it("leaves nothing on a full disk, neither a part of itself nor of the one before", (test) => {
    const disk = join(home, "disk");
    if (!mountSmallDisk(disk, 24)) return test.skip("mounting a small file system takes Linux and root");
    try {
      expect(() => exportModel({ from, to: disk }, config, valuesOf(weights))).toThrow("ENOSPC");
      expect(readdirSync(disk)).toEqual([]);
    } finally {
      unmountSmallDisk(disk);
    }
  });

  it.skipIf(!python)(
    "in shards is loaded by transformers with the same weights (needs python with transformers)",
    () => {
      const code = [
        "import sys, torch",
        "from transformers import AutoModelForCausalLM as M",
        "a, b = (M.from_pretrained(p).state_dict() for p in sys.argv[1:])",
        "assert a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)",
        "print(len(a))",
      ].join("\n");
      const folders = [exported("python", 2500), exported("pythonSingle")];
      expect(Number(execFileSync(python ?? "", ["-c", code, ...folders], { encoding: "utf8" }))).toBeGreaterThan(20);
    },
  );
});
