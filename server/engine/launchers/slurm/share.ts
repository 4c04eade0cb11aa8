import { randomUUID } from "node:crypto";
import { cp, mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { packagesKey, type PythonPackage, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { exists } from "../files.ts";
import { type Bundle, enginePaths, travels } from "../ssh/ship.ts";

/**
 * Copies the trainer and its engine to the shared file system, once per content. The cluster's machines must have this
 * machine's platform. Returns the trainer's path.
 */
export async function shareTrainer(folder: string, bundle: Bundle): Promise<string> {
  const target = join(folder, "bundles", `slurm-${basename(dirname(bundle.trainer))}-${bundle.engineVersion}`);
  const trainer = join(target, "trainer.mjs");
  if (await exists(trainer)) return trainer;
  const draft = `${target}.${randomUUID()}`;
  const modules = join(draft, "node_modules");
  await mkdir(modules, { recursive: true });
  for (const name of enginePaths({ os: process.platform, cpu: process.arch })) {
    await cp(join(bundle.nodeModules, name), join(modules, name), {
      recursive: true,
      dereference: true,
      filter: travels,
    });
  }
  for (const name of ["trainer.mjs", "programs.mjs"]) await cp(join(dirname(bundle.trainer), name), join(draft, name));
  // A concurrent process may have been faster; the content is the same.
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(trainer))) throw error;
  });
  return trainer;
}

/** Copies wheels of Python packages to the shared file system, in a folder named after their content. */
export async function sharePackages(
  folder: string,
  { from, packages }: { from: string; packages: readonly PythonPackage[] },
): Promise<string> {
  const shared = join(folder, "python", packagesKey(packages));
  if (await exists(shared)) return shared;
  const draft = `${shared}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  for (const { file } of wheelsOf(packages)) await cp(join(from, file), join(draft, file));
  // A concurrent process may have been faster; the content is the same.
  await rename(draft, shared).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(shared))) throw error;
  });
  return shared;
}

/** Copies the adapter for other trainers to the shared file system, once per content. */
export async function shareAdapter(folder: string, bundle: Bundle): Promise<string> {
  const tools = dirname(bundle.agent);
  const adapter = join(folder, "bundles", `adapter-${basename(tools)}.mjs`);
  if (await exists(adapter)) return adapter;
  const draft = `${adapter}.${randomUUID()}`;
  await mkdir(dirname(adapter), { recursive: true });
  await cp(join(tools, "adapter.mjs"), draft);
  await rename(draft, adapter);
  return adapter;
}

/**
 * Readable folders of a run's earlier attempts, newest first: those of this cluster as they are; from other nodes, a
 * copy of the files needed to resume.
 */
export async function shareEarlier(earlier: readonly { here: string; shared: string }[]): Promise<string[]> {
  const found: string[] = [];
  for (const { here, shared } of earlier) {
    const from = join(here, "checkpoints");
    if (!(await exists(shared)) && (await exists(from))) {
      const draft = `${shared}.${randomUUID()}`;
      await cp(from, join(draft, "checkpoints"), { recursive: true });
      await rename(draft, shared);
    }
    if (await exists(shared)) found.push(shared);
  }
  return found;
}

/** Links an attempt's folder into this machine's runs, for attempts on other nodes to resume from. */
export async function linkHere(here: string, shared: string): Promise<void> {
  if (here === shared || (await readlink(here).catch(() => undefined)) === shared || (await exists(here))) return;
  await mkdir(dirname(here), { recursive: true });
  await symlink(shared, here).catch(() => undefined);
}
