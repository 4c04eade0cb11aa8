import { createHash, randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { wheelsOf, type PythonPackage } from "#trainer/spec/environments/pythonPackages.ts";
import type { Interpreter, Snapshot } from "./interpreter.ts";

/** What programs can import beside the standard library, and the folder where its wheels lie. */
export type Packages = { readonly names: readonly PythonPackage[]; readonly folder: string };

export const noPackages: Packages = { names: [], folder: "" };

/** A wheel in the interpreter's file system, where an import reads it as the archive that it is. */
type MountedWheel = { path: string; bytes: Uint8Array; sha256: string };

/** The wheels of packages; throws where one is missing or is not what was pinned: nothing is fetched here. */
export function readWheels({ names, folder }: Packages): readonly MountedWheel[] {
  return wheelsOf(names).map(({ file, sha256 }) => {
    const from = join(folder, file);
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(from);
    } catch (cause) {
      throw new Error(`Python package ${names.join(", ")}: ${from} cannot be read`, { cause });
    }
    const found = createHash("sha256").update(bytes).digest("hex");
    if (found !== sha256) throw new Error(`${from} has the checksum ${found} instead of ${sha256}`);
    return { path: `/lib/${file}`, bytes, sha256 };
  });
}

type Importing = { packages: Packages; wheels: readonly MountedWheel[]; run: (source: string) => boolean };

/**
 * Imports packages into an interpreter that no program has used. sympy takes six seconds of processor time, so the memory
 * afterwards is kept beside the wheels. It belongs to the memory before, bit by bit: with any other one, of another
 * version say, it is not found.
 */
export function importPackages(python: Interpreter, { packages: { names, folder }, wheels, run }: Importing): void {
  if (names.length === 0) return;
  const hash = createHash("sha256").update(python.snapshot().bytes);
  for (const { sha256 } of wheels) hash.update(sha256);
  const path = join(folder, `imported-${hash.digest("hex").slice(0, 32)}.gz`);
  const kept = readKept(path);
  if (kept !== undefined) return python.restore(kept);
  const paths = JSON.stringify(wheels.map((wheel) => wheel.path));
  if (!run(`sys.path += ${paths}\n${names.map((name) => `import ${name}\n`).join("")}`))
    throw new Error(`Python package ${names.join(", ")} cannot be imported`);
  keep(path, python.snapshot());
}

/** Of a 32-bit address. */
const numStackBytes = 4;

/** Undefined where there is none, or one that was damaged: its checksum is part of the format. */
function readKept(path: string): Snapshot | undefined {
  try {
    const all = gunzipSync(readFileSync(path));
    return { stack: all.readUInt32LE(0), bytes: all.subarray(numStackBytes) };
  } catch {
    return undefined;
  }
}

function keep(path: string, { bytes, stack }: Snapshot): void {
  const head = Buffer.alloc(numStackBytes);
  head.writeUInt32LE(stack);
  const draft = `${path}.${randomUUID()}`;
  try {
    // Fast rather than small: 50 MB become 14 in half a second.
    writeFileSync(draft, gzipSync(Buffer.concat([head, bytes]), { level: 1 }));
    renameSync(draft, path);
  } catch {
    // A folder that takes nothing costs the next start its six seconds, and nothing else.
    rmSync(draft, { force: true });
  }
}
