import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { findModel } from "./findModel.ts";
import { fingerprintModel } from "./fingerprint.ts";
import { readHubSettings } from "./settings.ts";
import { startHub, type RunningHub } from "./testing/hubServer.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-found-"));
const models = join(import.meta.dirname, "../llama/testing/models");
afterAll(() => rmSync(home, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

let numCopies = 0;
/** Copies a model, with modification times one hour ago. */
function copyOf(name: string): string {
  const folder = join(home, `model${numCopies++}`);
  cpSync(join(models, name), folder, { recursive: true });
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), 1e9, 1e9);
  return folder;
}
const say = (): void => {};

describe("the checksum of a model", () => {
  it("is what sha256sum says of what it says of the files that are read, sorted by name", async () => {
    const folder = copyOf("llama");
    const { files, sha256 } = await fingerprintModel(folder);
    expect([...files.keys()]).toEqual([
      "config.json",
      "model-00001-of-00002.safetensors",
      "model-00002-of-00002.safetensors",
      "model.safetensors.index.json",
    ]);
    const command = `sha256sum ${[...files.keys()].join(" ")} | sha256sum`;
    expect(execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" }).split(" ")[0]).toBe(sha256);
  });

  it("is another when any of its files is another, and the same wherever they lie", async () => {
    const folder = copyOf("qwen3");
    const { sha256 } = await fingerprintModel(folder);
    expect((await fingerprintModel(copyOf("qwen3"))).sha256).toBe(sha256);
    writeFileSync(join(folder, "expected.safetensors"), "not read");
    expect((await fingerprintModel(folder)).sha256).toBe(sha256);
    writeFileSync(join(folder, "generation_config.json"), "{}");
    expect((await fingerprintModel(folder)).sha256).not.toBe(sha256);
  });

  it("is read from the files once, and again after they were written", async () => {
    const [folder, cacheFolder] = [copyOf("qwen2"), join(home, "cache")];
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
    const { sha256 } = await fingerprintModel(folder, cacheFolder);
    const notes = join(cacheFolder, "checksums");
    expect(readdirSync(notes)).toHaveLength(2);
    for (const note of readdirSync(notes)) {
      const content = readFileSync(join(notes, note), "utf8");
      writeFileSync(join(notes, note), content.replace(/"sha256":"\w+"/, `"sha256":"${"0".repeat(64)}"`));
    }
    expect((await fingerprintModel(folder, cacheFolder)).files.get("config.json")).toBe("0".repeat(64));
    const weights = join(folder, "model.safetensors");
    writeFileSync(weights, readFileSync(weights));
    utimesSync(weights, 1e9, 1e9);
    const again = await fingerprintModel(folder, cacheFolder);
    expect(again.files.get("model.safetensors")).not.toBe("0".repeat(64));
    expect(again.sha256).not.toBe(sha256);
    vi.useRealTimers();
  });

  it("is not kept of files that were written this moment, and may be written again in it", async () => {
    const cacheFolder = join(home, "moment");
    await fingerprintModel(copyOf("qwen2"), cacheFolder);
    expect(() => readdirSync(join(cacheFolder, "checksums"))).toThrow("ENOENT");
  });
});

describe("a model that a specification names", () => {
  let hub: RunningHub;
  const read = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
  beforeAll(async () => {
    const files = {
      ...read(join(models, "qwen3")),
      "tokenizer.json": Buffer.from("{}"),
      "tokenizer_config.json": Buffer.from("{}"),
    };
    hub = await startHub({ name: "owner/Tiny", branches: { main: "c".repeat(40) }, files, trouble: {} });
  });
  afterAll(() => hub.close());
  const stub = (): string => {
    const cache = join(home, `hub${numCopies++}`);
    vi.stubEnv("HF_ENDPOINT", `${hub.endpoint}/`);
    vi.stubEnv("HF_HUB_CACHE", cache);
    return cache;
  };

  it("is a folder where it begins as one, from the root or from where the trainer is", async () => {
    const folder = copyOf("qwen3");
    const { sha256 } = await fingerprintModel(folder);
    expect(await findModel(folder, { say })).toEqual({ folder, origin: { name: folder, sha256 } });
    const near = `./${relative(process.cwd(), folder)}`;
    expect(await findModel(near, { say })).toEqual({ folder, origin: { name: near, sha256 } });
    await expect(findModel("/nowhere/at/all", { say })).rejects.toThrow(
      "policy.pretrained: there is no folder /nowhere/at/all on this node",
    );
  });

  it("is fetched where it is a hub's, with its commit and checksum, and stays at the commit that a run began with", async () => {
    const cache = stub();
    const { folder, origin } = await findModel("owner/Tiny", { say });
    expect(folder.startsWith(cache)).toBe(true);
    expect(origin).toEqual({
      name: "owner/Tiny",
      commit: "c".repeat(40),
      sha256: (await fingerprintModel(folder)).sha256,
    });
    hub.state.branches["main"] = "d".repeat(40);
    expect((await findModel("owner/Tiny", { say, commit: "c".repeat(40) })).origin).toEqual(origin);
    expect((await findModel("owner/Tiny@main", { say })).origin.commit).toBe("d".repeat(40));
    hub.state.branches["main"] = "c".repeat(40);
  });

  it("is refused where a file of the cache is not what the hub says, with both checksums", async () => {
    stub();
    const { folder } = await findModel("owner/Tiny", { say });
    const weights = realpathSync(join(folder, "model.safetensors"));
    const content = readFileSync(weights);
    writeFileSync(
      weights,
      content.map((byte, i) => (i === 5000 ? byte ^ 1 : byte)),
    );
    await expect(findModel("owner/Tiny", { say })).rejects.toThrow(
      /^policy\.pretrained: .*\/model\.safetensors has the checksum [0-9a-f]{64}, the hub says [0-9a-f]{64}; .* fetched again$/,
    );
    rmSync(join(folder, "..", "..", "trees"), { recursive: true });
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    await expect(findModel("owner/Tiny", { say })).rejects.toThrow("the hub says");
    writeFileSync(weights, content);
    const config = realpathSync(join(folder, "config.json"));
    writeFileSync(config, `${readFileSync(config, "utf8")} `);
    await expect(findModel("owner/Tiny", { say })).rejects.toThrow(/config\.json has the checksum [0-9a-f]{40}, /);
  });

  it("is asked for by a proxy where the environment names one", async () => {
    stub();
    const tunnels: string[] = [];
    const proxy = createServer((_, response) => response.writeHead(500).end());
    proxy.on("connect", (request, socket) => {
      tunnels.push(request.url ?? "");
      const [host = "", port] = (request.url ?? "").split(":");
      const there = connect(Number(port), host, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      there.pipe(socket).pipe(there);
      for (const end of [there, socket]) end.on("error", () => end.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    const { origin } = await findModel("owner/Tiny", { say });
    expect(origin.commit).toBe("c".repeat(40));
    expect(tunnels).toContain(new URL(hub.endpoint).host);
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe("the surroundings of a hub", () => {
  it("are read as huggingface_hub reads them", () => {
    const folder = join(home, "hf");
    mkdirSync(folder);
    writeFileSync(join(folder, "token"), "hf_kept\n");
    for (const name of ["HF_TOKEN", "HF_TOKEN_PATH", "HF_ENDPOINT", "HF_HUB_CACHE"]) vi.stubEnv(name, undefined);
    for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, undefined);
    vi.stubEnv("HF_HOME", folder);
    expect(readHubSettings()).toEqual({
      endpoint: "https://huggingface.co",
      token: "hf_kept",
      isOffline: false,
      cacheFolder: join(folder, "hub"),
      hasProxy: false,
    });
    vi.stubEnv("HF_TOKEN", "hf_given");
    vi.stubEnv("HF_HUB_CACHE", "~/models");
    vi.stubEnv("TRANSFORMERS_OFFLINE", "Yes");
    vi.stubEnv("https_proxy", "http://proxy:1");
    expect(readHubSettings()).toMatchObject({ token: "hf_given", isOffline: true, hasProxy: true });
    expect(readHubSettings().cacheFolder).toMatch(/^[^~]+\/models$/);
  });
});
