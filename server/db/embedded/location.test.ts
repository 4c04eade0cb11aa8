import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
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
