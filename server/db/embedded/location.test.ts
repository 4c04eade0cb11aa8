import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { chooseAccount } from "./account.ts";
import { locateDatabase, rememberLocation } from "./location.ts";

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  "a database in a state folder that was closed to its account stays where it is (needs root)",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "arlarena-location-"));
    await mkdir(join(home, "postgres", "data"), { recursive: true });
    await writeFile(join(home, "postgres", "data", "PG_VERSION"), "18\n");
    await chmod(home, 0o700);
    const { dataFolder } = await locateDatabase(home, chooseAccount());
    expect(dataFolder).toBe(join(home, "postgres", "data"));
    expect(await readFile(join(dataFolder, "PG_VERSION"), "utf8")).toBe("18\n");
    // Only PostgreSQL's account may traverse the folder, and nobody may list it.
    expect(((await stat(home)).mode & 0o777).toString(8)).toBe("710");
    expect((await stat(home)).gid).toBe(chooseAccount().ids.gid);
    await rm(home, { recursive: true });
  },
);

test.runIf(isRoot)("a database whose way in is closed further up is named, never deleted (needs root)", async () => {
  const above = await mkdtemp(join(tmpdir(), "arlarena-location-"));
  const home = join(above, "home");
  await mkdir(join(home, "postgres", "data"), { recursive: true });
  await writeFile(join(home, "postgres", "data", "PG_VERSION"), "18\n");
  await expect(locateDatabase(home, chooseAccount())).rejects.toThrow(
    `cannot access the database in ${home}/postgres: a parent folder denies access`,
  );
  expect(await readFile(join(home, "postgres", "data", "PG_VERSION"), "utf8")).toBe("18\n");
  await rm(above, { recursive: true });
});

test.runIf(isRoot)(
  "a lost database outside the state folder is named, and no empty one replaces it (needs root)",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "arlarena-location-"));
    await chmod(home, 0o700);
    const { dataFolder } = await locateDatabase(home, chooseAccount());
    const folder = dirname(dataFolder);
    expect(folder.startsWith(home)).toBe(false);
    // A first start that was killed before the database existed is repeated.
    expect((await locateDatabase(home, chooseAccount())).dataFolder).toBe(dataFolder);
    await mkdir(dataFolder);
    await writeFile(join(dataFolder, "PG_VERSION"), "18\n");
    await rememberLocation(home, dataFolder);
    expect((await locateDatabase(home, chooseAccount())).dataFolder).toBe(dataFolder);
    await rm(folder, { recursive: true });
    await expect(locateDatabase(home, chooseAccount())).rejects.toThrow(
      `the database of ${home} was in ${folder}, which is missing or empty; restore that folder, or delete ${home}/postgres.location`,
    );
    await rm(join(home, "postgres.location"));
    expect((await locateDatabase(home, chooseAccount())).dataFolder).toBe(dataFolder);
    await rm(folder, { recursive: true });
    await rm(home, { recursive: true });
  },
);

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Makes a state folder with a database whose files are only a version file. */
async function makeHome(): Promise<{ home: string; folder: string }> {
  const above = await realpath(await mkdtemp(join(tmpdir(), "arlarena-location-")));
  const home = join(above, "home");
  await mkdir(home, { mode: 0o700 });
  await chmod(above, 0o700);
  made.push(above);
  return { home, folder: await makeCluster(home) };
}

async function makeCluster(home: string): Promise<string> {
  const { dataFolder } = await locateDatabase(home, chooseAccount());
  await mkdir(dataFolder, { recursive: true });
  await writeFile(join(dataFolder, "PG_VERSION"), "18\n");
  await rememberLocation(home, dataFolder);
  made.push(dirname(dataFolder));
  return dirname(dataFolder);
}

const copyFolder = (from: string, to: string) => spawnSync("cp", ["-a", from, to]);
const locate = async (home: string) => dirname((await locateDatabase(home, chooseAccount())).dataFolder);

test("a renamed state folder keeps its database", async () => {
  const { home, folder } = await makeHome();
  await rename(home, `${home}-renamed`);
  expect(await locate(`${home}-renamed`)).toBe(folder.replace(home, `${home}-renamed`));
  await rename(`${home}-renamed`, home);
  expect(await locate(home)).toBe(folder);
});

test("a copy of a state folder is refused, with its original and the ways to go on", async () => {
  const { home, folder } = await makeHome();
  const copy = `${home}-copy`;
  copyFolder(home, copy);
  await expect(locateDatabase(copy, chooseAccount())).rejects.toThrow(
    `${copy} is a copy of the state folder ${home}: \`npx arlarena backup\` and \`npx arlarena restore\` copy a studio (docs/backup.md). If ${home} is no longer used`,
  );
  expect(await locate(home)).toBe(folder);

  // The way that the error names: afterwards the copy alone may use the database.
  const used = folder.replace(home, copy);
  await writeFile(join(used, "home"), `${copy}\n`);
  expect(await locate(copy)).toBe(used);
  if (used === folder) await expect(locateDatabase(home, chooseAccount())).rejects.toThrow("is a copy of the state");
});

test("a database under another id is refused", async () => {
  const { home, folder } = await makeHome();
  await rm(join(home, "database.json"));
  await expect(locateDatabase(home, chooseAccount())).rejects.toThrow(
    `the database in ${folder} belongs to the state folder ${home}, not to ${home}: ${home}/database.json has another id`,
  );
});

test.runIf(isRoot)("a copy whose original is out of sight may not use its database (needs root)", async () => {
  const { home, folder } = await makeHome();
  copyFolder(home, `${home}-copy`);
  await rename(home, `${home}-away`);
  await expect(locateDatabase(`${home}-copy`, chooseAccount())).rejects.toThrow(
    `the database in ${folder} belongs to the state folder ${home}, and ${home}-copy may be a copy of it`,
  );
  expect(await locate(`${home}-away`)).toBe(folder);
});

test("a copy made while its database ran is refused, also without its original", async () => {
  const { home } = await makeHome();
  const inside = join(home, "postgres", "data");
  await rm(join(home, "postgres.location"), { force: true });
  await mkdir(inside, { recursive: true });
  await writeFile(join(inside, "PG_VERSION"), "18\n");
  // Root's way in to a database inside the state folder.
  await chmod(dirname(home), 0o711);
  await locateDatabase(home, chooseAccount());
  const copy = `${home}-copy`;
  copyFolder(home, copy);
  await rm(home, { recursive: true });
  await writeFile(join(copy, "postgres", "data", "postmaster.pid"), "1\n");
  await expect(locateDatabase(copy, chooseAccount())).rejects.toThrow("while its database was running");
  await rm(join(copy, "postgres", "data", "postmaster.pid"));
  expect(await locate(copy)).toBe(join(copy, "postgres"));
});

test.runIf(isRoot)(
  "renaming one state folder never lets another's start delete its database (needs root)",
  async () => {
    const { home, folder } = await makeHome();
    await rename(home, `${home}-renamed`);
    await makeHome();
    expect(await readFile(join(folder, "data", "PG_VERSION"), "utf8")).toBe("18\n");
  },
);

test.runIf(isRoot)("a folder on a disk of its own does not hide a database elsewhere (needs root)", async () => {
  const { home, folder } = await makeHome();
  await chmod(dirname(home), 0o711);
  await chmod(home, 0o711);
  expect(await locate(home)).toBe(folder);
});

test.runIf(isRoot)("only databases marked as throwaway go with their state folder (needs root)", async () => {
  const { home } = await makeHome();
  const kept = await makeHome();
  const { dataFolder } = await locateDatabase(join(dirname(home), "test"), chooseAccount(), false);
  await rm(join(dirname(home), "test"), { recursive: true });
  await rm(kept.home, { recursive: true });
  await makeHome();
  await expect(stat(dirname(dataFolder))).rejects.toThrow("ENOENT");
  expect(await readFile(join(kept.folder, "data", "PG_VERSION"), "utf8")).toBe("18\n");
});
