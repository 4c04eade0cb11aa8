import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";
import { checkPort, checkRoom } from "./checks.ts";

test("a taken port is named, with the way to choose another", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const place = { home: "/no/such/home", host: "127.0.0.1", port };
  await expect(checkPort(place)).rejects.toThrow(
    new RegExp(`port ${port} on 127.0.0.1 is taken by another program; choose another with npm start -- --port`),
  );
  await new Promise((resolve) => server.close(resolve));
  await checkPort(place);
});

test.runIf(existsSync("/proc/self"))(
  "a web process that an earlier start left behind is named (needs /proc)",
  async () => {
    const listen = `require("node:http").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;
    const start = async (variables: Readonly<Record<string, string>>) => {
      const child = spawn(process.execPath, ["-e", listen], { env: { ...process.env, ...variables } });
      const [line] = await once(child.stdout, "data");
      return { child, port: Number(String(line)) };
    };
    const home = "/home/of/this/test";
    const own = await start({ ARLARENA_HOME: home, ARLARENA_BUILD_FOLDER: ".next" });
    const other = await start({ ARLARENA_HOME: home });
    const refusal = (port: number) =>
      checkPort({ home, host: "127.0.0.1", port }).catch((error: unknown) => String(error));
    expect(await refusal(own.port)).toContain(
      `is held by process ${own.child.pid}, the web app of an earlier start of this studio; end it with kill -9 ${own.child.pid}`,
    );
    expect(await refusal(other.port)).toContain("is taken by another program");
    for (const { child } of [own, other]) child.kill("SIGKILL");
  },
);

test("a disk with too little room for a first start is refused; with a database there, less will do", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-room-"));
  if (!mountSmallDisk(folder, 100_000)) return context.skip("mounting a small file system takes Linux and root");
  try {
    await expect(checkRoom(folder)).rejects.toThrow(/^the disk is full: 102 MB left for .*, at least 300 MB needed$/);
    await writeFile(join(folder, "database.json"), "{}");
    await checkRoom(folder);
  } finally {
    unmountSmallDisk(folder);
    await rm(folder, { recursive: true });
  }
});

test("a state folder that cannot be made is named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-room-"));
  await writeFile(join(folder, "file"), "");
  await expect(checkRoom(join(folder, "file", "home"))).rejects.toThrow(
    `the state folder ${folder}/file/home cannot be created with private access`,
  );
  await checkRoom(join(folder, "home"));
  await rm(folder, { recursive: true });
});

test("a state folder that others could read is closed to them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-room-"));
  await chmod(folder, 0o755);
  await checkRoom(folder);
  expect(((await stat(folder)).mode & 0o777).toString(8)).toBe("700");
  await rm(folder, { recursive: true });
});
