import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { canReach } from "#server/db/embedded/account.ts";
import { makeStudioDatabase } from "#server/start/database.ts";

const program = fileURLToPath(new URL("../arlarena.mjs", import.meta.url));
const nobody = { name: "nobody", ids: { uid: 65_534, gid: 65_534 } };
const canBecomeUser = process.getuid?.() === 0 && canReach(nobody, join(program, ".."));

const run = promisify(execFile);
let above = "";
afterAll(async () => {
  const elsewhere = await readFile(join(above, "home", "postgres.location"), "utf8").catch(() => "");
  if (elsewhere !== "") await rm(elsewhere.trim(), { recursive: true, force: true });
  await rm(above, { recursive: true, force: true });
});

/** Calls the command line, as root or as a user without rights. Returns its output, also if it fails. */
async function call(words: readonly string[], ids = {}): Promise<string> {
  const env = { ...process.env, DATABASE_URL: "", HOME: above };
  const done = await run(process.execPath, [program, ...words], { ...ids, env, cwd: "/" }).catch(
    (error: unknown) => error,
  );
  return `${String(Reflect.get(Object(done), "stdout"))}${String(Reflect.get(Object(done), "stderr"))}`;
}

test.runIf(canBecomeUser)(
  "root's stopped studio moves to a user without rights, who renames it and cannot start a copy (needs root)",
  { timeout: 240_000 },
  async () => {
    above = await mkdtemp(join(tmpdir(), "arlarena-move-"));
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
    expect(await call(["restore", file, "--home", mine], nobody.ids)).toContain("Checked: 0 rows of");
    expect(await call(["restore", file, "--home", mine], nobody.ids)).toContain("is not empty (database.json)");
    await run("cp", ["-a", mine, `${mine}-copy`]);
    const backUp = (folder: string) =>
      call(["backup", join(user, `${Date.now()}.tar.gz`), "--home", folder], nobody.ids);
    expect(await backUp(`${mine}-copy`)).toContain(`is a copy of the state folder ${mine}`);
    await rename(mine, `${mine}-renamed`);
    expect(await backUp(`${mine}-renamed`)).toContain("0 rows of");
  },
);
