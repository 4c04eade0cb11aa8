import { existsSync, utimesSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { esbuildOptions, external } from "./esbuildOptions.ts";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { writeFresh } from "./claimHome.ts";
import { contentHash } from "./contentHash.ts";
import { isPacked, packedFolder, root } from "./root.ts";
import { runTool } from "./runTool.ts";

export const playersFolder = "players";

// The folder `public` is not listed, because a running studio serves its files from disk.
const rooms = ["app", "packages", "server", "prisma/schema.prisma", "proxy.ts"];
const playing = ["spec", "environments", "confined", "programs", "python", "policy", "onnx", "graph", "run"].map(
  (room) => `trainer/${room}`,
);
const settings = ["next.config.mjs", "postcss.config.mjs", "tsconfig.json", "package.json", "package-lock.json"];

export const hashSource = (folder: string): Promise<string> =>
  contentHash({ root: folder, paths: [...rooms, ...playing, ...settings], isSource });

/** Builds the web app unless this source was built. Each version has its folder, so a running studio is unaffected. */
export async function buildApp(print: (line: string) => void, signal: AbortSignal): Promise<string> {
  if (isPacked) return `${packedFolder}/app`;
  const hash = await hashSource(root);
  const folder = `.next/build-${hash}`;
  const stamp = join(root, folder, "complete");
  if (existsSync(stamp)) return folder;
  const onWait = () => print("Another process is building this version of the web app; waiting for it …");
  await withLock(join(root, `.next/making-${hash}`), { signal, onWait }, async () => {
    if (existsSync(stamp)) return;
    print("Building the web app (once for each version, about a minute) …");
    await buildFresh(folder, signal);
    await forgetOldBuilds(join(root, ".next/build-"));
  });
  return folder;
}

/** Builds the web app into a folder below `root`, which is emptied first. */
export async function buildFresh(folder: string, signal: AbortSignal): Promise<void> {
  await rm(join(root, folder), { recursive: true, force: true });
  await runTool({
    signal,
    what: "building the web app",
    script: "node_modules/next/dist/bin/next",
    args: ["build"],
    env: { ARLARENA_BUILD_FOLDER: folder, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
  });
  await rm(join(root, folder, "cache"), { recursive: true, force: true });
  await Promise.all([bundlePlayers(join(root, folder, playersFolder)), compressScripts(join(root, folder, "static"))]);
  await writeFile(join(root, folder, "complete"), "");
}

/** Files beside this one that decide which processes are bundled, and how. */
const bundling = ["server/start/buildApp.ts", "server/start/esbuildOptions.ts"];

function isSource(path: string): boolean {
  if (bundling.includes(path)) return true;
  return !/\.test\.tsx?$|\/testing\/|^server\/(db\/generated|start|cli|engine\/(orchestrator|launchers|ingest))\//.test(
    path,
  );
}

const numKept = 3;

/** Removes all folders whose paths begin with `prefix` but the newest. */
export async function forgetOldBuilds(prefix: string): Promise<void> {
  const names = (await readdir(dirname(prefix))).filter((name) => name.startsWith(basename(prefix)));
  const builds = await Promise.all(
    names.map(async (name) => {
      const path = join(dirname(prefix), name);
      // Another process may have removed the folder.
      return { path, madeMs: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
    }),
  );
  for (const { path } of builds.toSorted((a, b) => b.madeMs - a.madeMs).slice(numKept)) {
    await rm(path, { recursive: true, force: true });
  }
}

const entries = {
  analyses: "server/api/analyst/processes/analyses.ts",
  episodes: "server/engine/playground/processes/episodes.ts",
  policies: "server/engine/playground/processes/policies.ts",
  models: "server/engine/playground/processes/models.ts",
  modelFacts: "server/engine/models/processes/modelFacts.ts",
  imports: "server/engine/trainers/processes/imports.ts",
};

/** Bundles each separate process beside the build, without native code and packages that read their own files. */
export async function bundlePlayers(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    ...esbuildOptions,
    entryPoints: entries,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external,
  });
}

const compress = promisify(brotliCompress);

export async function compressScripts(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names.map(async (name) => {
      if (!/\.(js|css)$/.test(name)) return;
      const text = await readFile(join(folder, name));
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      };
      await writeFile(join(folder, `${name}.br`), await compress(text, { params }));
    }),
  );
}

type Waiting = {
  signal: AbortSignal;
  onWait: () => void;
  /** Time in ms without a sign of life after which the lock's owner counts as dead. */
  staleMs?: number;
};

/** Runs `work` under a file lock, which its living owner touches. Rejects if aborted while it waits. */
export async function withLock<T>(path: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
  const { signal, onWait, staleMs = 10_000 } = waiting;
  await mkdir(dirname(path), { recursive: true });
  let hasReported = false;
  while (!(await writeFresh(path, ""))) {
    if (await isStale(path, staleMs)) await rm(path, { force: true });
    else {
      if (!hasReported) onWait();
      hasReported = true;
      await sleep(200, undefined, { signal });
    }
  }
  const alive = setInterval(() => {
    const now = new Date();
    try {
      // The file is touched synchronously: queued behind the file operations of `work`, the owner would look dead.
      utimesSync(path, now, now);
    } catch {
      // The lock file may have been removed, but `work` continues.
    }
  }, staleMs / 5);
  try {
    return await work();
  } finally {
    clearInterval(alive);
    await rm(path, { force: true });
  }
}

async function isStale(path: string, staleMs: number): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > staleMs;
}
