import { writeWhole } from "#server/config/writeWhole.ts";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { RayNode } from "#server/domain/fleet/nodes/node.ts";
import { packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { type PythonPackage, packagesKey, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { exists } from "../files.ts";
import { type Bundle, enginePaths, travels } from "../ssh/ship.ts";
import { packagePrefix } from "./seal.ts";
import type { CourierJob } from "./protocol.ts";
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

export type Package = { name: string; content: () => Promise<Uint8Array> };

function nameOf(kind: string, key: string): string {
  return `${packagePrefix}${kind}_${createHash("sha256").update(key).digest("hex").slice(0, 20)}.zip`;
}

export function folderNameOf({ name }: Package): string {
  return name.slice(0, -".zip".length);
}

type Kept = { home: string; bundle: Bundle; node: RayNode };

/** Creates the package of trainer or adapter, cached on disk, with our Node.js unless the cluster has one. */
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

export function wheelsPackage(home: string, packages: readonly PythonPackage[]): Package {
  const from = packagesFolder(home);
  const files = wheelsOf(packages).map(({ file }) => ({ name: file, path: join(from, file) }));
  return { name: nameOf("python", packagesKey(packages)), content: async () => await makeZip(await readAll(files)) };
}

/** Creates the package of a single attempt. `earlier`: local folder of the attempt from which it may resume. */
export async function jobPackage(job: CourierJob, earlier: string | undefined): Promise<Package> {
  const about = { name: "job.json", content: Buffer.from(JSON.stringify(job)) };
  const checkpoints = earlier === undefined ? [] : await listFiles(earlier, ["checkpoints"]);
  const entries = [about, ...(await readAll(checkpoints.map((file) => ({ ...file, name: `earlier/${file.name}` }))))];
  const content = await makeZip(entries);
  return { name: nameOf("job", content.toString("base64")), content: async () => content };
}

type File = { name: string; path: string };

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
  await writeWhole(path, content);
  return content;
}

type ZipEntry = { name: string; content: Uint8Array };

/** Compresses in another thread, because this process must continue to observe jobs. */
const deflate = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);

const versionNeeded = 20;
const deflated = 8;
const utf8Names = 1 << 11;
/** 1 January 1980, the first date of the ZIP format. A constant date makes equal content give equal bytes. */
const firstDay = (1 << 5) | 1;

/** Creates a ZIP archive (APPNOTE 6.3, without the 64-bit extension), the only package format of Ray. */
async function makeZip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const packed = await deflate(content, { level: 6 });
    const nameBytes = Buffer.from(name, "utf8");
    const common = describe(content, { packed, nameLength: nameBytes.length });
    const header = Buffer.concat([uint32(0x04034b50), common, nameBytes]);
    files.push(header, packed);
    // The values: unspecified system, no comment, first disk, plain file, offset of the file's header.
    const more = Buffer.concat([uint16(0), uint16(0), uint16(0), uint32(0), uint32(offset)]);
    directory.push(Buffer.concat([uint32(0x02014b50), uint16(versionNeeded), common, more, nameBytes]));
    offset += header.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  if (offset + listing.length > 0xffff_ffff || entries.length > 0xffff) {
    throw new RangeError(`a package of ${offset} bytes in ${entries.length} files is too large for a ZIP archive`);
  }
  const counts = [uint16(0), uint16(0), uint16(entries.length), uint16(entries.length)];
  const end = Buffer.concat([uint32(0x06054b50), ...counts, uint32(listing.length), uint32(offset), uint16(0)]);
  return Buffer.concat([...files, listing, end]);
}

/** Returns the ZIP fields that a file's header and its directory entry have in common. */
function describe(content: Uint8Array, { packed, nameLength }: { packed: Buffer; nameLength: number }): Buffer {
  return Buffer.concat([
    ...[versionNeeded, utf8Names, deflated, 0, firstDay].map(uint16),
    ...[crc32(content), packed.length, content.length].map(uint32),
    ...[nameLength, 0].map(uint16),
  ]);
}

function uint16(value: number): Buffer {
  return Buffer.of(value, value >>> 8);
}

function uint32(value: number): Buffer {
  return Buffer.of(value, value >>> 8, value >>> 16, value >>> 24);
}
