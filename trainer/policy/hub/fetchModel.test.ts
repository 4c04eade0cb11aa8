import { execFile } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchModel } from "./fetchModel.ts";
import type { HubSettings } from "./settings.ts";
import { gitBlob, sha256, startHub, type RunningHub } from "./testing/hubServer.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-hub-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
/** Path of a Python interpreter with huggingface_hub. */
const python = process.env["ARLARENA_TRANSFORMERS_PYTHON"];

const [name, first, second] = ["owner/Tiny-0.1B", "a".repeat(40), "b".repeat(40)];
const weights = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));
const small = Object.fromEntries(
  ["config.json", "tokenizer.json", "tokenizer_config.json"].map((file) => [file, Buffer.from(`{"of":"${file}"}`)]),
);
const files = {
  "README.md": Buffer.from("not needed"),
  ...small,
  "chat_template.jinja": Buffer.from("{{ messages }}"),
  "original/consolidated.00.pth": Buffer.from("not needed"),
  "model.safetensors": weights,
};

let hub: RunningHub;
let numCaches = 0;
let settings: HubSettings;
const said: string[] = [];
/** Timeouts long enough for a busy machine. A test that waits for a timeout uses `hurried`. */
const usual = { stallMs: 10_000, leftMs: 12_000, pauseMs: 1 };
const hurried = { stallMs: 500, leftMs: 600, pauseMs: 1 };
let patience = usual;
const fetched = (revision = "main", more: Partial<HubSettings> = {}) =>
  fetchModel({ name, revision }, { ...settings, ...more }, { say: (text) => said.push(text), patience });
const store = (): string => join(settings.cacheFolder, "models--owner--Tiny-0.1B");
const contentOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((file) => [file, sha256(readFileSync(join(folder, file)))]));
const needed = Object.fromEntries(
  Object.entries(files)
    .filter(([file]) => !/README|original/.test(file))
    .map(([file, content]) => [file, sha256(content)]),
);
const parts = (): string[] => readdirSync(join(store(), "blobs")).filter((file) => file.endsWith(".part"));

beforeEach(async () => {
  said.length = 0;
  patience = usual;
  hub = await startHub({ name, branches: { main: first, "refs/pr/1": second }, files: { ...files }, trouble: {} });
  settings = {
    endpoint: hub.endpoint,
    isOffline: false,
    cacheFolder: join(home, `cache${numCaches++}`),
    hasProxy: false,
  };
});
afterEach(() => hub.close());

describe("a model of a hub", () => {
  it("is fetched with the files that it needs alone, in the layout of huggingface_hub, at the commit of its branch", async () => {
    const { folder, commit } = await fetched();
    expect(commit).toBe(first);
    expect(folder).toBe(join(store(), "snapshots", first));
    expect(contentOf(folder)).toEqual(needed);
    expect(readFileSync(join(store(), "refs/main"), "utf8")).toBe(first);
    expect(lstatSync(join(folder, "model.safetensors")).isSymbolicLink()).toBe(true);
    expect(readlinkSync(join(folder, "model.safetensors"))).toBe(join("../../blobs", sha256(weights)));
    expect(readlinkSync(join(folder, "config.json"))).toBe(
      join("../../blobs", gitBlob(small["config.json"] ?? weights)),
    );
    expect(readdirSync(join(store(), "blobs"))).toHaveLength(Object.keys(needed).length);
  });

  it("is asked for nothing again where a commit is named, and for its branch alone where one is", async () => {
    await fetched();
    hub.asked.length = 0;
    await fetched(first);
    expect(hub.asked).toEqual([]);
    await fetched();
    expect(hub.asked).toHaveLength(1);
    expect(hub.asked[0]).toMatch(/^GET \/api\/models\/owner\/Tiny-0\.1B\/revision\/main/);
  });

  it("follows a branch that moved on, and keeps a run's commit", async () => {
    await fetched();
    hub.state.branches["main"] = second;
    hub.state.files["config.json"] = Buffer.from("{}");
    expect((await fetched()).commit).toBe(second);
    expect((await fetched(first)).commit).toBe(first);
    const { folder } = await fetched("refs/pr/1");
    expect(readFileSync(join(folder, "config.json"), "utf8")).toBe("{}");
    expect(readFileSync(join(store(), "refs/refs/pr/1"), "utf8")).toBe(second);
  });

  it("may be in several files", async () => {
    const half = weights.length / 2;
    const index = { weight_map: { a: "model-1.safetensors", b: "model-2.safetensors" } };
    delete hub.state.files["model.safetensors"];
    Object.assign(hub.state.files, {
      "model.safetensors.index.json": Buffer.from(JSON.stringify(index)),
      "model-1.safetensors": weights.subarray(0, half),
      "model-2.safetensors": weights.subarray(half),
      "other.safetensors": Buffer.from("not needed"),
    });
    const { folder } = await fetched();
    expect(
      readdirSync(folder)
        .filter((file) => file.includes("model"))
        .toSorted(),
    ).toEqual(["model-1.safetensors", "model-2.safetensors", "model.safetensors.index.json"]);
  });

  it("is found without a network where a whole one is in the cache, whoever put it there", async () => {
    await fetched();
    await hub.close();
    expect((await fetched()).commit).toBe(first);
    expect(said.at(-1)).toMatch(
      /was not asked \((?:connect ECONNREFUSED .*|other side closed)\): main of owner\/Tiny-0\.1B is the cached a{40}/,
    );
    expect((await fetched("main", { isOffline: true })).commit).toBe(first);
    rmSync(join(store(), "snapshots", first, "chat_template.jinja"));
    await expect(fetched("main", { isOffline: true })).rejects.toThrow(
      /^policy\.pretrained: .* cannot be reached from this node \(HF_HUB_OFFLINE is set\), and .* does not contain all files of owner\/Tiny-0\.1B@main$/,
    );
  });

  it("is found as older versions of huggingface_hub left it, without a list of its files", async () => {
    const folder = join(store(), "snapshots", second);
    for (const path of ["blobs", "refs", `snapshots/${second}`]) mkdirSync(join(store(), path), { recursive: true });
    writeFileSync(join(store(), "refs/main"), second);
    for (const [file, content] of Object.entries({ ...small, "model.safetensors": weights })) {
      const blob = file.endsWith("safetensors") ? sha256(content) : gitBlob(content);
      writeFileSync(join(store(), "blobs", blob), content);
      symlinkSync(join("../../blobs", blob), join(folder, file));
    }
    expect(await fetched("main", { isOffline: true })).toMatchObject({ folder, commit: second });
    rmSync(join(store(), "blobs", sha256(weights)));
    await expect(fetched("main", { isOffline: true })).rejects.toThrow("does not contain all files");
  });
});

describe("a download", () => {
  it("goes on where a connection broke off, as often as some bytes came", async () => {
    hub.state.trouble.breakAfter = { bytes: 40_000, times: 6 };
    const { folder } = await fetched();
    expect(readFileSync(join(folder, "model.safetensors")).equals(weights)).toBe(true);
    const ranges = hub.asked.filter((line) => line.includes(" store ")).map((line) => /bytes=\d+-/.exec(line)?.[0]);
    expect(ranges).toEqual([undefined, ...[1, 2, 3, 4, 5, 6].map((n) => `bytes=${n * 40_000}-`)]);
    expect(parts()).toEqual([]);
  });

  it("gives up a connection that brings nothing, waits while the hub is busy, and begins again where it knows no ranges", async () => {
    patience = hurried;
    hub.state.trouble = { stallAfter: { bytes: 50_000, times: 1 }, busy: 2, ignoresRanges: true };
    const { folder } = await fetched();
    expect(readFileSync(join(folder, "model.safetensors")).equals(weights)).toBe(true);
  });

  it("leaves nothing that is used when it fails, and what it has is gone on with", async () => {
    patience = hurried;
    hub.state.trouble.breakAfter = { bytes: 40_000, times: 1 };
    hub.state.trouble.stallAfter = { bytes: 0, times: 100 };
    await expect(fetched()).rejects.toThrow(
      /^policy\.pretrained: .* cannot be reached from this node \((nothing came for|no answer in) 0\.5 s\), and .* does not contain all files of .*$/,
    );
    expect(existsSync(join(store(), "snapshots", first, "model.safetensors"))).toBe(false);
    expect(parts()).toHaveLength(1);
    hub.state.trouble = {};
    hub.asked.length = 0;
    await fetched();
    expect(hub.asked.filter((line) => line.includes(" store "))).toEqual(["GET store /model.safetensors bytes=40000-"]);
    expect(parts()).toEqual([]);
  });

  it("throws away a part that does not add up, and takes no file with another checksum", async () => {
    mkdirSync(join(store(), "blobs"), { recursive: true });
    const part = join(store(), "blobs", `${sha256(weights)}.0.part`);
    writeFileSync(part, Buffer.alloc(1000, 7));
    utimesSync(part, new Date(0), new Date(0));
    const { folder } = await fetched();
    expect(readFileSync(join(folder, "model.safetensors")).equals(weights)).toBe(true);
    rmSync(settings.cacheFolder, { recursive: true });
    hub.state.trouble.wrong = 9;
    await expect(fetched()).rejects.toThrow(
      new RegExp(
        `^policy\\.pretrained: model\\.safetensors has the SHA-256 [0-9a-f]{64}, the hub says ${sha256(weights)}: http`,
      ),
    );
    expect(readdirSync(join(store(), "blobs")).filter((file) => file.startsWith(sha256(weights)))).toEqual([]);
  });

  it("of eight runs at once comes to the same files, the large one fetched once or twice at most", async () => {
    hub.state.trouble.breakAfter = { bytes: 100_000, times: 1 };
    const runs = await Promise.all(Array.from({ length: 8 }, () => fetched()));
    expect(new Set(runs.map(({ folder }) => folder)).size).toBe(1);
    expect(contentOf(runs[0]?.folder ?? "")).toEqual(needed);
    expect(parts()).toEqual([]);
    expect(hub.asked.filter((line) => line === "GET store /model.safetensors").length).toBeLessThanOrEqual(2);
  });

  it("waits for another process's part as long as that grows", async () => {
    mkdirSync(join(store(), "blobs"), { recursive: true });
    const blob = join(store(), "blobs", sha256(weights));
    writeFileSync(`${blob}.0.part`, weights.subarray(0, 1000));
    const growing = setInterval(() => writeFileSync(`${blob}.0.part`, weights.subarray(0, 2000)), 50);
    setTimeout(() => {
      clearInterval(growing);
      writeFileSync(blob, weights);
      rmSync(`${blob}.0.part`);
    }, 1000);
    await fetched();
    expect(hub.asked.filter((line) => line.includes(" store "))).toEqual([]);
  });
});

describe("a refusal names field, value and what can be done:", () => {
  it.each<[string, (hub: RunningHub) => void, Parameters<typeof fetched>, RegExp]>([
    [
      "an unknown revision",
      () => {},
      ["v9"],
      /^policy\.pretrained: owner\/Tiny-0\.1B has no revision "v9" \(404 RevisionNotFound/,
    ],
    [
      "an unknown model",
      ({ state }) => (state.name = "else/where"),
      [],
      /has no public model "owner\/Tiny-0\.1B": this node has no HF_TOKEN \(404/,
    ],
    [
      "a hidden model",
      ({ state }) => (state.token = "x"),
      ["main", { token: "y" }],
      /no public model .*: the account of this node's HF_TOKEN has no access to it \(401/,
    ],
    [
      "a gated model",
      ({ state }) => Object.assign(state, { token: "x", isGated: true }),
      [],
      /owner\/Tiny-0\.1B is gated: its owners give access at http:.*\/owner\/Tiny-0\.1B; this node has no HF_TOKEN \(401 GatedRepo/,
    ],
    [
      "a gated model and another account",
      ({ state }) => Object.assign(state, { token: "x", isGated: true }),
      ["main", { token: "y" }],
      /the account of this node's HF_TOKEN has no access \(/,
    ],
    [
      "weights of another kind",
      ({ state }) => (state.files = { ...small, "pytorch_model.bin": weights }),
      [],
      /^policy\.pretrained: owner\/Tiny-0\.1B has no model\.safetensors at a{40}; it has pytorch_model\.bin$/,
    ],
  ])("%s", async (_, change, args, message) => {
    change(hub);
    await expect(fetched(...args)).rejects.toThrow(message);
  });

  it("no room for it", async () => {
    const tree = join(store(), "trees", `${first}.json`);
    mkdirSync(join(store(), "trees"), { recursive: true });
    const entry = (content: Buffer) => ({ size: content.length, blob_id: gitBlob(content) });
    const listed = Object.fromEntries(Object.entries(small).map(([file, content]) => [file, entry(content)]));
    const huge = { size: 1, blob_id: "0", lfs_sha256: "0".repeat(64), lfs_size: 9e15 };
    writeFileSync(tree, JSON.stringify({ format_version: 1, files: { ...listed, "model.safetensors": huge } }));
    await expect(fetched(first)).rejects.toThrow(
      /^policy\.pretrained: owner\/Tiny-0\.1B needs 9,000,000,000 MB more in .*, where only [\d,]+ MB are free$/,
    );
  });
});

it("shows its token to the hub alone", async () => {
  hub.state.token = "secret";
  const { folder } = await fetched("main", { token: "secret" });
  expect(contentOf(folder)).toEqual(needed);
});

const script = `
import json, os, sys
from huggingface_hub import snapshot_download
print(json.dumps(snapshot_download(sys.argv[1], allow_patterns=["*.json", "*.jinja", "*.safetensors"])))
`;

describe.skipIf(python === undefined)(
  "the cache of Python's huggingface_hub (needs ARLARENA_TRANSFORMERS_PYTHON)",
  () => {
    const load = async (more: Record<string, string> = {}): Promise<string> => {
      const path = join(home, "load.py");
      writeFileSync(path, script);
      const env = {
        ...process.env,
        HF_HUB_CACHE: settings.cacheFolder,
        HF_ENDPOINT: hub.endpoint,
        HF_HUB_DISABLE_XET: "1",
        ...more,
      };
      const { stdout } = await promisify(execFile)(python ?? "", [path, name], { env, encoding: "utf8" });
      return String(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
    };

    it("is read here without a network", async () => {
      const folder = await load();
      hub.asked.length = 0;
      expect(await fetched("main", { isOffline: true })).toMatchObject({ folder, commit: first });
      expect(contentOf(folder)).toEqual(needed);
      expect(hub.asked).toEqual([]);
    });

    it("is what this leaves: Python finds the model without a network", async () => {
      const { folder } = await fetched();
      expect(await load({ HF_HUB_OFFLINE: "1" })).toBe(folder);
    });
  },
);
