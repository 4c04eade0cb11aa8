// @module-tag soak
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { canReach } from "#server/db/embedded/account.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { makeStudioDatabase } from "#server/start/database.ts";

const program = fileURLToPath(new URL("../arlarena.mjs", import.meta.url));
const nobody = { name: "nobody", ids: { uid: 65_534, gid: 65_534 } };
const canBecomeUser = process.getuid?.() === 0 && canReach(nobody, join(program, ".."));

const run = promisify(execFile);
const above = await mkdtemp(join(tmpdir(), "arlarena-move-"));
afterAll(async () => {
  for (const name of ["home", "stopped/home", "stopped/new"]) {
    const elsewhere = await readFile(join(above, name, "postgres.location"), "utf8").catch(() => "");
    if (elsewhere !== "") await rm(elsewhere.trim(), { recursive: true, force: true });
  }
  await rm(above, { recursive: true, force: true });
});

/** Calls the command line, as root or as a user without rights. Returns its output, also if it fails. */
async function call(words: readonly string[], ids = {}): Promise<string> {
  return callProgram([program, ...words], { ...ids, cwd: "/" });
}

const env = { ...process.env, DATABASE_URL: "", HOME: above };

async function callProgram(words: readonly string[], options: object): Promise<string> {
  const done = await run(process.execPath, words, { ...options, env }).catch((error: unknown) => error);
  return `${String(Reflect.get(Object(done), "stdout"))}${String(Reflect.get(Object(done), "stderr"))}`;
}

test.runIf(canBecomeUser)(
  "root's stopped studio moves to a user without rights, who renames it and cannot start a copy (needs root)",
  async () => {
    await chmod(above, 0o755);
    const home = join(above, "home");
    const database = await makeStudioDatabase({ home, databaseUrl: undefined }, () => {});
    await database.close();
    const file = join(above, "studio.tar.gz");
    expect(await call(["backup", file, "--home", home])).toContain(`${file}: 0 rows of`);

    const user = join(above, "user");
    await mkdir(user);
    for (const path of [user, file]) await chown(path, nobody.ids.uid, nobody.ids.gid);
    const mine = join(user, "studio");
    const restored = await call(["restore", file, "--home", mine], nobody.ids);
    expect(restored).toContain("Checked: 0 rows of");
    expect(restored).toContain(`Start it with: npm start -- --home ${mine}`);
    expect(await call(["restore", file, "--home", mine], nobody.ids)).toContain("is not empty (database.json)");
    await run("cp", ["-a", mine, `${mine}-copy`]);
    const backUp = (folder: string) =>
      call(["backup", join(user, `${Date.now()}.tar.gz`), "--home", folder], nobody.ids);
    expect(await backUp(`${mine}-copy`)).toContain(`is a copy of the state folder ${mine}`);
    await rename(mine, `${mine}-renamed`);
    // The log of changes has the restore, and then also this backup.
    for (const numRows of ["1 row of", "2 rows of"]) expect(await backUp(`${mine}-renamed`)).toContain(numRows);
  },
);

test("a restore that was killed half way is refused by start and backup, and repeated", async () => {
  const folder = join(above, "stopped");
  const home = join(folder, "home");
  await mkdir(home, { recursive: true });
  const database = await makeStudioDatabase({ home, databaseUrl: undefined }, () => {});
  const client = makeDatabase(database.url, { maxConnections: 1 });
  await client.pool.query("INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('kept', 'kept', '{}', '')");
  await client.close();
  await database.close();
  const file = join(folder, "studio.tar.gz");
  expect(await call(["backup", file, "--home", home])).toContain(`${file}: 1 row of`);

  const mine = join(folder, "new");
  const restoring = spawn(process.execPath, [program, "restore", file, "--home", mine], { env, stdio: "ignore" });
  while (!existsSync(join(mine, "database.json"))) await sleep(5);
  restoring.kill("SIGKILL");
  await once(restoring, "exit");
  const refusal = `a restore into ${mine} was stopped: repeat it (npx arlarena restore), or empty the folder`;
  const start = [
    "--import",
    import.meta.resolve("tsx"),
    fileURLToPath(new URL("../../start/main.ts", import.meta.url)),
  ];
  expect(await callProgram([...start, "--home", mine], {})).toContain(`ARLArena Studio cannot start: ${refusal}`);
  expect(await call(["backup", join(folder, "half.tar.gz"), "--home", mine])).toContain(refusal);
  expect(await call(["restore", file, "--home", mine])).toContain("Checked: 1 row of");
  // One row more: the log of changes has the restore.
  expect(await call(["backup", join(folder, "whole.tar.gz"), "--home", mine])).toContain("2 rows of");
});
