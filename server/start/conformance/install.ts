import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../root.ts";
import { type PythonEnvironment, unpacked } from "./environments.ts";

const execute = promisify(execFile);

const folder = process.env["ARLARENA_CONFORMANCE"] ?? join(root, "node_modules/.cache/arlarena-python");
const programIn = (name: string, program: string): string => join(folder, name, "bin", program);

/** Folders that are ready, as the environment variables that tests read, and reasons of those that could not be made. */
export type Installed = { variables: Record<string, string>; problems: string[] };

/** Makes the environments that are missing or have other versions, one after another, and prints size and seconds. */
export async function installEnvironments(chosen: readonly PythonEnvironment[]): Promise<Installed> {
  const installed: Installed = { variables: {}, problems: [] };
  for (const environment of chosen) {
    const { name, variables } = environment;
    const named = Object.entries(variables).map(([variable, program]) => [variable, programIn(name, program)] as const);
    await attempt(installed, { name, make: () => makeEnvironment(environment), variables: Object.fromEntries(named) });
  }
  const trees = join(folder, unpacked.package);
  await attempt(installed, {
    name: `${unpacked.package}-releases`,
    make: () => unpackReleases(`${trees}-releases`, programIn(chosen[0]?.name ?? "", "python")),
    variables: { [unpacked.variable]: `${trees}-releases` },
  });
  return installed;
}

type Task = { name: string; make: () => Promise<readonly string[]>; variables: Record<string, string> };

async function attempt(installed: Installed, { name, make, variables }: Task): Promise<void> {
  const startedMs = Date.now();
  try {
    const packages = await make();
    const { stdout } = await execute("du", ["-sk", join(folder, name)]);
    const size = `${(Number.parseInt(stdout, 10) / 1000).toFixed(0)} MB`;
    console.log(`${name}: ${packages.join(" ")} (${size}, ${((Date.now() - startedMs) / 1000).toFixed(1)} s)`);
    Object.assign(installed.variables, variables);
  } catch (error) {
    installed.problems.push(`${name} is not installed: ${lastLine(error)}`);
  }
}

/** Last line that a failed program printed, such as pip's reason. */
function lastLine(error: unknown): string {
  const { stderr = "" } = error instanceof Error && "stderr" in error ? (error as { stderr?: string }) : {};
  const lines = (stderr || String(error)).trim().split("\n");
  return lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "";
}

async function makeEnvironment({ name, above, packages, alone = [] }: PythonEnvironment): Promise<string[]> {
  const place = join(folder, name);
  const wanted = [...packages, ...alone];
  if (await isMade(place, wanted)) return wanted;
  await rm(place, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await makeVenv(place);
  const python = programIn(name, "python");
  if (above !== undefined) {
    const ask = async (one: string) =>
      (await execute(programIn(one, "python"), ["-c", "import site; print(site.getsitepackages()[0])"])).stdout.trim();
    await writeFile(join(await ask(name), "above.pth"), `${await ask(above)}\n`);
  }
  const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--quiet"];
  await execute(python, [...pip, ...packages]);
  if (alone.length > 0) await execute(python, [...pip, "--no-deps", ...alone]);
  await writeFile(join(place, "made.txt"), wanted.join("\n"));
  return wanted;
}

/** Makes an empty environment with pip. Debian's python3 lacks `venv` unless python3-venv is installed; uv may be there. */
async function makeVenv(place: string): Promise<void> {
  try {
    await execute("python3", ["-m", "venv", place]);
  } catch (error) {
    await execute("uv", ["venv", "--seed", place]).catch(() => {
      throw error;
    });
  }
}

async function unpackReleases(place: string, python: string): Promise<string[]> {
  const wanted = unpacked.releases.map((release) => `${unpacked.package}==${release}`);
  if (await isMade(place, wanted)) return wanted;
  await rm(place, { recursive: true, force: true });
  for (const [i, release] of unpacked.releases.entries()) {
    const wheels = join(place, "wheels", release);
    const words = `-m pip download --disable-pip-version-check --quiet --no-deps --only-binary :all: --dest`.split(" ");
    await execute(python, [...words, wheels, wanted[i] ?? ""]);
    const unpack =
      "import glob, sys, zipfile; zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0]).extractall(sys.argv[2])";
    await execute(python, ["-c", unpack, wheels, join(place, release)]);
  }
  await writeFile(join(place, "made.txt"), wanted.join("\n"));
  return wanted;
}

async function isMade(place: string, wanted: readonly string[]): Promise<boolean> {
  const made = await readFile(join(place, "made.txt"), "utf8").catch(() => "");
  return made === wanted.join("\n");
}

/** Lists pinned packages that have a newer release, by asking pip's index. Silent where the index cannot be reached. */
export async function listNewer(chosen: readonly PythonEnvironment[]): Promise<string[]> {
  const pinned = chosen.flatMap(({ name, packages, alone = [] }) =>
    [...packages, ...alone].map((text) => ({ environment: name, text })),
  );
  const known = new Map(pinned.map((one) => [one.text, one]));
  const lines = await Promise.all(
    [...known.values()].map(async ({ environment, text }) => {
      const [name = "", version = ""] = text.split("==");
      const words = ["-m", "pip", "index", "versions", "--disable-pip-version-check", name.replace(/\[.*/, "")];
      const { stdout } = await execute(programIn(environment, "python"), words).catch(() => ({ stdout: "" }));
      const newest = /\(([^)]+)\)/.exec(stdout)?.[1] ?? version;
      return newest === version || isBefore(newest, version) ? [] : [`${name} ${newest} is newer than ${version}`];
    }),
  );
  return lines.flat();
}

/** True if the version is before another one by its numbers. pip offers no release that is not final. */
function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  const i = a?.findIndex((part, at) => part !== b?.[at]) ?? -1;
  return i !== -1 && (a?.[i] ?? 0) < (b?.[i] ?? 0);
}
