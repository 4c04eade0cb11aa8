import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { RayNode } from "#server/domain/fleet/nodes/node.ts";
import { packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { type PythonPackage, packagesKey, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { exists } from "../exists.ts";
import { type Bundle, enginePaths, travels } from "../ssh/ship.ts";
import { packagePrefix } from "./packageName.ts";
import type { CourierJob } from "./protocol.ts";
import { makeZip, type ZipEntry } from "./zip.ts";

/** A package with its name in Ray; `content` creates its archive. */
export type Package = { name: string; content: () => Promise<Uint8Array> };

function nameOf(kind: string, key: string): string {
  return `${packagePrefix}${kind}_${createHash("sha256").update(key).digest("hex").slice(0, 20)}.zip`;
}

/** Name of the folder into which Ray unpacks a package. */
export function folderNameOf({ name }: Package): string {
  return name.slice(0, -".zip".length);
}

type Kept = { home: string; bundle: Bundle; node: RayNode };

/**
 * Package with the trainer and its engine, or the adapter for other trainers; with this machine's Node.js unless the
 * cluster has one. Cached in the state folder, since packing takes seconds.
 */
export function toolsPackage({ home, bundle, node }: Kept, kind: "trainer" | "adapter"): Package {
  const { trainer, agent, nodeModules, engineVersion } = bundle;
  if (node.node === undefined && process.platform !== "linux") {
    throw new Error(
      `node ${node.name}: node: the path of Node.js on the cluster is needed, since ours is for ${process.platform}`,
    );
  }
  const runtime = node.node === undefined ? process.version : "theirs";
  const about = [basename(dirname(trainer)), basename(dirname(agent)), engineVersion, runtime, process.arch];
  const name = nameOf(kind, about.join("\0"));
  const list = async (): Promise<File[]> => {
    const tools = dirname(agent);
    const files = [
      { name: "courier.mjs", path: join(tools, "courier.mjs") },
      ...(node.node === undefined ? [{ name: "bin/node", path: process.execPath }] : []),
    ];
    if (kind === "adapter") return [...files, { name: "adapter.mjs", path: join(tools, "adapter.mjs") }];
    const trainers = ["trainer.mjs", "programs.mjs"].map((file) => ({
      name: file,
      path: join(dirname(trainer), file),
    }));
    const engine = await listFiles(nodeModules, enginePaths({ os: "linux", cpu: process.arch }));
    return [
      ...files,
      ...trainers,
      ...engine.filter((file) => travels(file.name)).map((file) => ({ ...file, name: `node_modules/${file.name}` })),
    ];
  };
  return { name, content: async () => await keep(join(home, "ray", name), list) };
}

/** Package with wheels of Python packages, for programs of actions. */
export function wheelsPackage(home: string, packages: readonly PythonPackage[]): Package {
  const from = packagesFolder(home);
  const files = wheelsOf(packages).map(({ file }) => ({ name: file, path: join(from, file) }));
  return { name: nameOf("python", packagesKey(packages)), content: async () => await makeZip(await readAll(files)) };
}

/** Package of a single attempt; `earlier` is the local folder of the attempt it may resume from. */
export async function jobPackage(job: CourierJob, earlier: string | undefined): Promise<Package> {
  const about = { name: "job.json", content: Buffer.from(JSON.stringify(job)) };
  const checkpoints = earlier === undefined ? [] : await listFiles(earlier, ["checkpoints"]);
  const entries = [about, ...(await readAll(checkpoints.map((file) => ({ ...file, name: `earlier/${file.name}` }))))];
  const content = await makeZip(entries);
  return { name: nameOf("job", content.toString("base64")), content: async () => content };
}

type File = { name: string; path: string };

/** All files at and below these paths of a folder. */
async function listFiles(root: string, paths: readonly string[]): Promise<File[]> {
  const files: File[] = [];
  for (const path of paths) {
    const at = join(root, path);
    const entries = await readdir(at, { recursive: true, withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) {
      files.push({ name: path, path: at });
      continue;
    }
    for (const entry of entries) {
      const full = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.push({ name: relative(root, full).split(sep).join("/"), path: full });
    }
  }
  return files;
}

async function readAll(files: readonly File[]): Promise<ZipEntry[]> {
  return await Promise.all(files.map(async ({ name, path }) => ({ name, content: await readFile(path) })));
}

async function keep(path: string, list: () => Promise<File[]>): Promise<Uint8Array> {
  if (await exists(path)) return await readFile(path);
  const content = await makeZip(await readAll(await list()));
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, content);
  await rename(draft, path);
  return content;
}
