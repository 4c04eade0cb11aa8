import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "#packages/base";
import { packagesOf, type EnvironmentSpec } from "#trainer/spec/environment.ts";
import { wheelsOf, type PythonPackage, type Wheel } from "#trainer/spec/environments/pythonPackages.ts";
import { fetchWheel } from "./packageIndex.ts";

/** Folder of the Python wheels in the state folder. */
export function packagesFolder(home: string): string {
  return join(home, "python");
}

/**
 * Makes sure that the wheels of packages lie in the state folder, before anything is started that needs them; returns the
 * folder where they lie. Throws `unavailable` with the package, the address and what to do where one cannot be fetched.
 */
export async function fetchPackages(home: string, packages: readonly PythonPackage[]): Promise<string> {
  const folder = packagesFolder(home);
  // All runs of a sweep request the same wheel at the same time.
  for (const wheel of wheelsOf(packages)) {
    const path = join(folder, wheel.file);
    const task = running.get(path) ?? bring(wheel, folder).finally(() => running.delete(path));
    running.set(path, task);
    await task;
  }
  return folder;
}

/** Fetches the packages of a plan before it is frozen, so that a missing network leaves nothing to clean up. */
export async function fetchPlanned(home: string, environments: readonly EnvironmentSpec[]): Promise<string> {
  return fetchPackages(home, [...new Set(environments.flatMap(packagesOf))]);
}

const running = new Map<string, Promise<void>>();

async function bring(wheel: Wheel, folder: string): Promise<void> {
  const path = join(folder, wheel.file);
  if (await isWhole(path, wheel)) return;
  const { bytes, address } = await fetchWheel(wheel, folder);
  const found = checksumOf(bytes);
  if (found !== wheel.sha256)
    throw new AppError(
      "unavailable",
      `Python package ${wheel.project}: ${address} has the checksum ${found} instead of ${wheel.sha256}`,
    );
  try {
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      "unavailable",
      `Python package ${wheel.project}: ${wheel.file} cannot be kept in ${folder} (${reason}). Make that a folder that the studio can write to`,
      { cause },
    );
  }
}

/** Checked wheels by path. Pages ask before every move, so an unchanged file is not read again. */
const whole = new Map<string, string>();

async function isWhole(path: string, { sha256 }: Wheel): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return false;
  const version = [stats.ino, stats.size, stats.mtimeMs, sha256].join(" ");
  if (whole.get(path) === version) return true;
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined || checksumOf(bytes) !== sha256) return false;
  whole.set(path, version);
  return true;
}

function checksumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
