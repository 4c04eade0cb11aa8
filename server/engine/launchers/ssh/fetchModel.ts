import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, formatBytes } from "#packages/base";
import type { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { folderIn } from "../launcher.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { readDisk } from "../files.ts";
import { type Connection, connectTo, quote } from "./connection.ts";
import { expectDone, shell } from "./ship.ts";

export type ModelRequest = {
  node: SshNode;
  home: string;
  jobId: string;
  folder: string;
  /** Number of bytes that one ssh command copies, since its output is held in memory. */
  pieceBytes?: number;
  tell: (progress: { name: string; doneBytes: number; sizeBytes: number }) => void;
};

/** A file of the attempt on the ssh node; `name` is its path within the attempt's folder. */
type FarFile = { name: string; sizeBytes: number };

/**
 * Downloads a finished attempt's model or adapters, which are too large for automatic copying, from an ssh node. An
 * interrupted download resumes from a partial file, which is renamed once its SHA-256 is that of the node's file.
 */
export async function fetchModel(request: ModelRequest): Promise<FarFile[]> {
  const { node, home, jobId, folder } = request;
  const far: Far = { connection: connectTo(node, home), there: folderIn(`${node.folder}/runs`, jobId), node };
  const lacking: FarFile[] = [];
  for (const file of await listModel(far)) {
    const here = await stat(join(folder, file.name)).catch(ignoreMissing);
    if (here?.size !== file.sizeBytes) lacking.push(file);
  }
  await checkRoom(folder, lacking);
  for (const file of lacking) await fetchFile(far, file, request);
  return lacking;
}

type Far = { connection: Connection; there: string; node: SshNode };

/** Matches size and path of each model file. A path that matches cannot lead out of the attempt's folder. */
const filePattern = /^\s*(\d+) ((?:model|adapter)\/[\w-][\w.-]*)$/;

async function listModel({ connection, there, node }: Far): Promise<FarFile[]> {
  const script = `cd ${quote(there)} && find model adapter -type f -exec wc -c {} ';' 2>/dev/null; exit 0`;
  const output = expectDone(await connection.run(shell(script)), `${node.name} cannot be asked`);
  return output.split("\n").flatMap((line): FarFile[] => {
    const [, size, name] = filePattern.exec(line) ?? [];
    return name === undefined ? [] : [{ name, sizeBytes: Number(size) }];
  });
}

async function checkRoom(folder: string, files: readonly FarFile[]): Promise<void> {
  let needed = 0;
  for (const { name, sizeBytes } of files) {
    needed += sizeBytes - ((await stat(partOf(folder, name)).catch(ignoreMissing))?.size ?? 0);
  }
  const disk = await readDisk(folder);
  if (disk === undefined || needed <= disk.freeBytes) return;
  const [wanted, free] = [needed, disk.freeBytes].map(formatBytes);
  throw new AppError("conflict", `the download of ${wanted} does not fit into ${folder}, where ${free} are free`);
}

function partOf(folder: string, name: string): string {
  return join(folder, `${name}.part`);
}

async function fetchFile(far: Far, file: FarFile, request: ModelRequest): Promise<void> {
  const path = join(request.folder, file.name);
  const partPath = partOf(request.folder, file.name);
  await mkdir(dirname(path), { recursive: true });
  const part = await open(partPath, "a").then(async (made) => {
    await made.close();
    return await open(partPath, "r+");
  });
  try {
    await fill(part, { far, file, request });
    await part.sync();
  } finally {
    await part.close();
  }
  const [expected, found] = await Promise.all([hashThere(far, file.name), hashHere(partPath)]);
  if (expected !== found) {
    await rm(partPath, { force: true });
    const differ = `${file.name} has the SHA-256 ${found} here and ${expected} on ${far.node.name}`;
    throw new AppError("unavailable", `${differ}: the downloaded files were removed; run the command again`);
  }
  await rename(partPath, path);
}

const usualPieceBytes = 32 << 20;
const pieceMs = 300_000;

/** Appends missing pieces to a partial file. Offsets are fixed, so concurrent downloads write the same bytes. */
async function fill(
  part: FileHandle,
  { far, file, request }: { far: Far; file: FarFile; request: ModelRequest },
): Promise<void> {
  const { pieceBytes = usualPieceBytes, tell } = request;
  const { name, sizeBytes } = file;
  let at = (await part.stat()).size;
  if (at > sizeBytes) await part.truncate((at = 0));
  while (at < sizeBytes) {
    const length = Math.min(pieceBytes, sizeBytes - at);
    const script = `tail -c +${at + 1} ${quote(`${far.there}/${name}`)} | head -c ${length}`;
    const result = await far.connection.run(shell(script), { timeoutMs: pieceMs });
    const bytes = result.is === "done" && result.exitCode === 0 ? result.stdout : undefined;
    if (bytes?.length !== length) {
      const why = result.stderr.trim().split("\n").at(-1) || "the connection was lost";
      const so = `${formatBytes(at)} of ${formatBytes(sizeBytes)}`;
      throw new AppError(
        "unavailable",
        `${name} broke off after ${so} (${why}): run the command again to continue from there`,
      );
    }
    for (let done = 0; done < length;) {
      done += (await part.write(bytes, done, length - done, at + done)).bytesWritten;
    }
    at += length;
    tell({ name, doneBytes: at, sizeBytes });
  }
}

const hashingMs = 1800_000;
const hashScript = `const hash = require("crypto").createHash("sha256");
require("fs").createReadStream(process.argv[1]).on("data", (bytes) => hash.update(bytes)).on("end", () => console.log(hash.digest("hex")));`;

/** Returns a file's SHA-256 as computed by Node.js on the ssh node, because not every system has sha256sum. */
async function hashThere({ connection, there, node }: Far, name: string): Promise<string> {
  const script = `exec ${quote(node.node)} -e ${quote(hashScript)} ${quote(`${there}/${name}`)}`;
  const result = await connection.run(shell(script), { timeoutMs: hashingMs });
  return expectDone(result, `${name} cannot be added up`).trim();
}

async function hashHere(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest("hex");
}
