import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { wheelsOf, type PythonPackage } from "#trainer/spec/environments/pythonPackages.ts";
import type { Interpreter, Snapshot } from "./interpreter.ts";
import { hash, writeWhole } from "./library.ts";

/** Python packages that programs can import besides the standard library, and the folder of their wheel files. */
export type Packages = { readonly names: readonly PythonPackage[]; readonly folder: string };

export const noPackages: Packages = { names: [], folder: "" };

/** Wheel file in the interpreter's file system. Python imports its modules directly from the archive. */
type MountedWheel = { path: string; bytes: Uint8Array; sha256: string };

/** Reads the wheel files of packages; throws if one is missing or differs from its hash. Nothing is downloaded. */
export function readWheels({ names, folder }: Packages): readonly MountedWheel[] {
  return wheelsOf(names).map(({ file, sha256 }) => {
    const from = join(folder, file);
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(from);
    } catch (cause) {
      throw new Error(`Python package ${names.join(", ")}: ${from} cannot be read`, { cause });
    }
    const found = hash(bytes);
    if (found !== sha256) throw new Error(`${from} has the checksum ${found} instead of ${sha256}`);
    return { path: `/lib/${file}`, bytes, sha256 };
  });
}

type Importing = { packages: Packages; wheels: readonly MountedWheel[]; run: (source: string) => boolean };

/**
 * Imports packages into a new interpreter. Importing sympy takes six seconds of CPU time, so the resulting memory is
 * cached beside the wheels. The cache key hashes the whole memory before the import and the wheels.
 */
export function importPackages(python: Interpreter, { packages: { names, folder }, wheels, run }: Importing): void {
  if (names.length === 0) return;
  const key = createHash("sha256").update(python.snapshot().bytes);
  for (const { sha256 } of wheels) key.update(sha256);
  const path = join(folder, `imported-${key.digest("hex").slice(0, 32)}.gz`);
  const kept = readKept(path);
  if (kept !== undefined) return python.restore(kept);
  const paths = JSON.stringify(wheels.map((wheel) => wheel.path));
  if (!run(`sys.path += ${paths}\n${names.map((name) => `import ${name}\n`).join("")}`))
    throw new Error(`Python package ${names.join(", ")} cannot be imported`);
  keep(path, python.snapshot());
}

/** Size in bytes of the stack pointer, a 32-bit address, at the start of a cached memory file. */
const numStackBytes = 4;

/** Reads the interpreter's memory from a cache file; undefined if the file is missing or fails its checksum. */
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
  // Fast compression reduces 50 MB to 14 MB in half a second. In a read-only folder nothing is cached, so the next
  // start takes six seconds again.
  writeWhole(path, gzipSync(Buffer.concat([head, bytes]), { level: 1 }));
}
