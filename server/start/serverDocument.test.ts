import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { adapt, isInstalled, prepareCaddy, prepareNginx, readBlocks } from "./testing/serverDocument.ts";

/** Checks the configurations of docs/server.md with the programs that read them. `package.test.ts` runs them. */
const folder = await mkdtemp(join(tmpdir(), "arlarena-server-"));
afterAll(() => rm(folder, { recursive: true }));

const run = ([program = "", ...args]: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
};

describe.each([false, true])("a proxy that names people: %s", (namesPeople) => {
  const plan = { port: 8443, studioPort: 7331, namesPeople };

  test.runIf(isInstalled("nginx"))("nginx accepts its configuration (needs nginx)", async () => {
    const command = await prepareNginx({ ...plan, folder: join(folder, `nginx-${namesPeople}`) });
    expect(run([...command, "-t"])).toMatchObject({ status: 0, output: expect.stringContaining("test is successful") });
  });

  test.runIf(isInstalled("caddy"))("Caddy accepts its configuration (needs caddy)", async () => {
    const [program = "", , ...options] = await prepareCaddy({ ...plan, folder: join(folder, `caddy-${namesPeople}`) });
    expect(run([program, "validate", ...options])).toMatchObject({ status: 0 });
  });
});

test.runIf(isInstalled("systemd-analyze"))("systemd accepts both units (needs systemd)", async () => {
  const program = join(folder, "arlarena-studio");
  await writeFile(program, "");
  await chmod(program, 0o755);
  const [system = "", user = ""] = readBlocks("ini");
  const units = [
    adapt(system, { "/usr/bin/arlarena-studio": program, "User=arlarena": "User=root" }),
    adapt(user, { "%h/.local/bin/arlarena-studio": program }),
  ];
  for (const [index, unit] of units.entries()) {
    await mkdir(join(folder, `${index}`));
    const path = join(folder, `${index}`, "arlarena-studio.service");
    await writeFile(path, unit);
    const { status, output } = run(["systemd-analyze", "verify", path]);
    const about = output.split("\n").filter((line) => line.includes("arlarena-studio"));
    expect({ status, about }).toEqual({ status: 0, about: [] });
    // Otherwise a restart of the service, or one run without memory, would end every run on this machine.
    expect(unit).toContain("KillMode=process\nOOMPolicy=continue\n");
  }
});

test.runIf(isInstalled("logrotate"))("logrotate accepts its configuration (needs logrotate)", async () => {
  const path = join(folder, "logrotate");
  await writeFile(path, adapt(readBlocks("logrotate")[0] ?? "", { "su arlarena arlarena": "su root root" }));
  expect(run(["logrotate", "--debug", path]).output).not.toContain("error");
});
