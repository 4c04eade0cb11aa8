import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../root.ts";

const execute = promisify(execFile);
const maxBuffer = 2 ** 26;

/** Account without rights. Root's tests use that of "nobody"; the tests of others use their own. */
const ids = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export type Installed = {
  home: string;
  /** Folder of the installed package; its files and folders are read-only. */
  packageFolder: string;
  packageBytes: number;
  installMs: number;
  /** Runs a command of the installation as its user, and returns what it printed. */
  run: (program: string, ...args: string[]) => Promise<string>;
  /** Starts the studio, and returns it with the link that it has printed. `stateFolder`: another than `home`. */
  start: (port: number, stateFolder?: string) => Promise<{ link: string; pid: number; stop: () => Promise<void> }>;
  /** Installs the package globally, below a prefix of the user's own, and returns what runs a command from there. */
  installGlobally: () => Promise<Installed["run"]>;
  remove: () => Promise<void>;
};

/** Packs this checkout and installs the package into an empty folder, as a user without rights or install scripts. */
export async function installPackage(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-package-"));
  await chmod(folder, 0o755);
  const [empty, user] = [join(folder, "empty"), join(folder, "user")];
  await execute("npm", ["pack", "--pack-destination", folder], { cwd: root, maxBuffer });
  const [name = ""] = (await readdir(folder)).filter((file) => file.endsWith(".tgz"));
  for (const path of [empty, user]) {
    await mkdir(path, { mode: 0o755 });
    if (ids.uid !== undefined) await chown(path, ids.uid, ids.gid);
  }
  const home = join(user, "state");
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: "production",
    PATH: `${join(empty, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
    HOME: user,
    npm_config_cache: join(user, "npm"),
    ARLARENA_HOME: home,
    ARLARENA_HOSTS: "studio.example.org",
  };
  const options = { cwd: user, env, maxBuffer, ...ids };
  const startedMs = performance.now();
  const args = ["install", join(folder, name), "--no-audit", "--no-fund", "--ignore-scripts"];
  await execute("npm", args, { ...options, cwd: empty });
  const installMs = performance.now() - startedMs;
  await execute("chmod", ["-R", "a-w", join(empty, "node_modules")]);
  return {
    home,
    packageFolder: join(empty, "node_modules/arlarena-studio"),
    packageBytes: (await stat(join(folder, name))).size,
    installMs,
    run: async (program, ...args) => (await execute(program, args, options)).stdout,
    start: async (port, stateFolder = home) => {
      const child = spawn("arlarena-studio", ["--port", String(port), "--home", stateFolder], options);
      return { link: await readLink(child), pid: child.pid ?? 0, stop: () => stop(child) };
    },
    installGlobally: async () => {
      const prefix = join(user, "prefix");
      const ofUser = { ...options, env: { ...env, npm_config_prefix: prefix } };
      // The first installation has filled the cache; npm's own settings belong to another prefix.
      await execute("npm", ["install", "--global", "--prefer-offline", ...args.slice(1)], ofUser);
      const PATH = `${join(prefix, "bin")}:${process.env["PATH"] ?? ""}`;
      return async (program, ...words) => (await execute(program, words, { ...options, env: { ...env, PATH } })).stdout;
    },
    remove: async () => {
      await execute("chmod", ["-R", "u+w", empty]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readLink(child: ChildProcess): Promise<string> {
  let output = "";
  return await new Promise((resolve, reject) => {
    const note = (text: Buffer) => {
      output += String(text);
      const [link] = /http:\/\/\S+\/sign-in\?token=\S+/.exec(output) ?? [];
      if (link !== undefined) resolve(link);
    };
    child.stdout?.on("data", note);
    child.stderr?.on("data", note);
    child.once("exit", () => reject(new Error(`the studio ended: ${output}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
