import { basename, dirname } from "node:path";
import type { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { packagesKey, type PythonPackage, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { type CommandResult, type Connection, quote } from "./connection.ts";

/**
 * Local paths of files to copy: trainer beside `programs.mjs`, agent beside adapter, each pair in a folder named after
 * its content. `nodeModules` contains the packages that the trainer needs.
 */
export type Bundle = { trainer: string; agent: string; nodeModules: string; engineVersion: string };

/** Paths of the installed programs on the ssh node; `home` is the user's home folder there. */
export type Installed = { trainer: string; agent: string; adapter: string; home: string };

/** Installs the trainer and its dependencies on an ssh node. Throws if the node is unsuitable. */
export async function install(connection: Connection, node: SshNode, bundle: Bundle): Promise<Installed> {
  const folder = `${node.folder}/bundles/${basename(dirname(bundle.trainer))}-${basename(dirname(bundle.agent))}`;
  const about = await look(connection, node, folder);
  const platform = readPlatform(about);
  const engine = `${node.folder}/engines/${bundle.engineVersion}-${platform.os}-${platform.cpu}`;
  if (!about.hasBundle) {
    await shipEngine(connection, { bundle, engine, platform });
    await shipBundle(connection, { bundle, engine, folder });
  }
  const path = (name: string) => `${folder}/${name}.mjs`;
  return { trainer: path("trainer"), agent: path("agent"), adapter: path("adapter"), home: about.home };
}

type About = { home: string; system: string; machine: string; nodeVersion: string; hasBundle: boolean };

async function look(connection: Connection, node: SshNode, folder: string): Promise<About> {
  const script = [
    'echo "home=$HOME"',
    'echo "system=$(uname -s)"',
    'echo "machine=$(uname -m)"',
    `echo "node=$(${quote(node.node)} --version 2>&1)"`,
    `[ -e ${quote(`${folder}/complete`)} ] && echo bundle=yes`,
    "exit 0",
  ].join("\n");
  const output = expectDone(await connection.run(shell(script)), "it cannot be looked at");
  const read = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(output)?.[1]?.trim() ?? "";
  return {
    home: read("home"),
    system: read("system"),
    machine: read("machine"),
    nodeVersion: read("node"),
    hasBundle: read("bundle") === "yes",
  };
}

type Platform = { os: "linux" | "darwin"; cpu: "x64" | "arm64" };

function readPlatform({ system, machine, nodeVersion }: About): Platform {
  const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(nodeVersion) ?? []).map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Node.js 20.19 or newer is needed there, and \`node --version\` says ${nodeVersion || "nothing"}`);
  }
  const os = { Linux: "linux" as const, Darwin: "darwin" as const }[system];
  const cpu = { x86_64: "x64" as const, aarch64: "arm64" as const, arm64: "arm64" as const }[machine];
  if (os === undefined || cpu === undefined) throw new Error(`no engine for ${system} on ${machine}`);
  return { os, cpu };
}

const python = [
  "package.json",
  "pyodide.mjs",
  "pyodide.asm.js",
  "pyodide.asm.wasm",
  "python_stdlib.zip",
  "pyodide-lock.json",
];

/** Returns the paths in `node_modules` that the trainer needs: native code, and packages that read files. */
export function enginePaths({ os, cpu }: { os: string; cpu: string }): string[] {
  const native = `onnxruntime-node/bin/napi-v6/${os}/${cpu}`;
  const onnx = ["onnxruntime-node/package.json", "onnxruntime-node/dist", native, "onnxruntime-common"];
  return [...onnx, ...python.map((name) => `pyodide/${name}`), "ws", "base-64"];
}

/** File pattern of CUDA libraries, which are not copied to nodes: they are large, and a node with CUDA has its own. */
const cudaFiles = "libonnxruntime_providers_*";

export function travels(name: string): boolean {
  return !/libonnxruntime_providers_[^/]*$/.test(name);
}

const shippingMs = 10 * 60_000;

type EngineParts = { bundle: Bundle; engine: string; platform: Platform };

// Copies the trainer's packages unless the node has them: they are 15 times its size and change less often.
async function shipEngine(connection: Connection, { bundle, engine, platform }: EngineParts): Promise<void> {
  if (await isSo(connection, `-e ${quote(`${engine}/complete`)}`)) return;
  const options = [`--exclude=${cudaFiles}`, "-C", bundle.nodeModules];
  const argv = ["tar", "-chzf", "-", ...options, ...enginePaths(platform)] as const;
  await unpack(connection, { what: "the trainer's packages", argv, into: engine, inner: "node_modules" });
}

async function shipBundle(
  connection: Connection,
  { bundle, engine, folder }: { bundle: Bundle; engine: string; folder: string },
) {
  const tools = dirname(bundle.agent);
  const trainer = ["-C", dirname(bundle.trainer), basename(bundle.trainer), "programs.mjs"];
  const files = [...trainer, "-C", tools, "agent.mjs", "adapter.mjs"];
  const link = `ln -s ${quote(`${engine}/node_modules`)} node_modules`;
  await unpack(connection, { what: "the trainer", argv: ["tar", "-czf", "-", ...files], into: folder, after: link });
}

/** Copies wheels to a folder of the node named after their content, where trainers also cache imported modules. */
export async function shipPackages(
  connection: Connection,
  node: SshNode,
  { from, packages }: { from: string; packages: readonly PythonPackage[] },
): Promise<string> {
  const into = `${node.folder}/python/${packagesKey(packages)}`;
  if (!(await isSo(connection, `-e ${quote(`${into}/complete`)}`))) {
    const argv = ["tar", "-czf", "-", "-C", from, ...wheelsOf(packages).map(({ file }) => file)] as const;
    await unpack(connection, { what: "the wheels of Python packages", argv, into });
  }
  return into;
}

/** `what` names the files in messages; `argv` is the command on this machine that prints the archive. */
type Parcel = { what: string; argv: readonly [string, ...string[]]; into: string; inner?: string; after?: string };

// Unpacks an archive on the ssh node under a temporary name, so that an interrupted copy never looks complete.
async function unpack(connection: Connection, { what, argv, into, inner = ".", after = ":" }: Parcel): Promise<void> {
  const script = [
    "set -e; umask 077",
    `draft=${quote(into)}.$$`,
    `mkdir -p "$draft/${inner}"`,
    `tar -xzf - -C "$draft/${inner}"`,
    'cd "$draft"',
    after,
    ": >complete",
    "cd /",
    // A folder that a concurrent process has installed first may be in use, so this copy is deleted instead.
    `if [ -e ${quote(`${into}/complete`)} ]; then rm -rf "$draft"; else mv "$draft" ${quote(into)}; fi`,
  ].join("\n");
  const result = await connection.run(shell(script), { input: { argv }, timeoutMs: shippingMs });
  expectDone(result, `cannot ship ${what}`);
}

/** Evaluates a condition of the shell's `test` on the ssh node. */
export async function isSo(connection: Connection, condition: string): Promise<boolean> {
  const answer = await connection.run(shell(`[ ${condition} ] && echo yes; exit 0`));
  return expectDone(answer, "it cannot be looked at").includes("yes");
}

/** Returns a command line that runs a POSIX shell script, whatever the user's login shell is. */
export function shell(script: string): string {
  return `exec sh -c ${quote(script)}`;
}

/** Returns a command's standard output. If the command failed, throws an error that names `what` and the problem. */
export function expectDone(result: CommandResult, what: string): string {
  if (result.is === "late") throw new Error(`${what}: no answer in time. ${lastLine(result.stderr)}`.trim());
  if (result.exitCode === 0) return result.stdout.toString("utf8");
  const message = lastLine(result.stderr) || lastLine(result.stdout.toString("utf8")) || "it printed nothing";
  // 255 is ssh's own exit code, which means that the command was not run.
  if (result.exitCode === 255) throw new Error(message);
  throw new Error(`${what}: ${message} (exit code ${result.exitCode})`);
}

// Returns the last line that mentions an error, else the last line: long error output names the error before its end.
function lastLine(text: string): string {
  const lines = text.trim().split("\n");
  return (lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "").trim();
}
