import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { loadPyodide } from "pyodide";

export const pyodideFolder = fileURLToPath(new URL(".", import.meta.resolve("pyodide")));

/** SHA-256 of the compiled standard library of the pinned Pyodide. Equal bytes make equal memory on every machine. */
export const librarySha256 = "569120cc1a96d2b748bb1b0e511658aa33e0b27400f50b4f8d987a5b1bc8b816";

/** Folders that may hold the compiled library, in the order in which they are tried. */
const folders = [
  join(dirname(pyodideFolder), ".cache", "arlarena-python"),
  join(tmpdir(), `arlarena-python-${process.getuid?.() ?? 0}`),
];

/**
 * Returns the path of Python's standard library with compiled modules. Pyodide ships source texts, whose compilation
 * takes two thirds of the time in which an interpreter loads. The library is compiled once per machine, which takes some
 * seconds, and read from the first folder that holds it or can be written.
 *
 * @param load loads an interpreter without a guard, which compiles the library
 * @throws if no folder can be written
 */
export async function findLibrary(load: () => ReturnType<typeof loadPyodide>): Promise<string> {
  const found = pathsOf(librarySha256).find(isWhole);
  if (found !== undefined) return found;
  const bytes = compileLibrary(await load());
  // A library with another checksum is used, too, but compiled again by every process.
  const written = pathsOf(hash(bytes)).find((path) => writeWhole(path, bytes));
  if (written === undefined)
    throw new Error(`the compiled Python library cannot be written to ${folders.join(" or ")}`);
  return written;
}

function pathsOf(sha256: string): string[] {
  return folders.map((folder) => join(folder, `${sha256}.zip`));
}

function isWhole(path: string): boolean {
  try {
    return hash(readFileSync(path)) === librarySha256;
  } catch {
    return false;
  }
}

export function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Writes a file at once, so that other processes never read a part. Returns false if the folder cannot be written. */
export function writeWhole(path: string, bytes: Uint8Array): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, bytes);
    renameSync(draft, path);
    return true;
  } catch {
    rmSync(draft, { force: true });
    return false;
  }
}

function compileLibrary(pyodide: Awaited<ReturnType<typeof loadPyodide>>): Uint8Array {
  const bytes: unknown = pyodide.runPython(compiler).toJs();
  if (!(bytes instanceof Uint8Array)) throw new TypeError("the Python library did not compile to bytes");
  return bytes;
}

/**
 * Adds compiled modules to the archive of source texts. The sources stay, because programs can read and print them.
 * Compiled modules are not compared with their sources, and all timestamps are equal.
 */
const compiler = `
import importlib._bootstrap_external as external, importlib.util, io, zipfile
path = "/lib/python311.zip"
sources, output = zipfile.ZipFile(path), io.BytesIO()
with zipfile.ZipFile(output, "w") as library:
    for name in sorted(sources.namelist()):
        text = sources.read(name)
        if name.endswith(".py"):
            code = compile(text, f"{path}/{name}", "exec", dont_inherit=True)
            compiled = external._code_to_hash_pyc(code, importlib.util.source_hash(text), False)
            library.writestr(zipfile.ZipInfo(name + "c"), compiled)
        library.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
output.getvalue()
`;
