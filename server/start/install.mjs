// Functions that start.mjs, check.mjs and pack.mjs share. This module imports only Node's own modules, because no
// packages may be installed yet.
import { spawn } from "node:child_process";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packages that only checks and tests need: `npm start` does not install them, which leaves out 30 % of all bytes. */
export const tools = [
  "@axe-core/playwright",
  "@playwright/test",
  "ajv",
  "dependency-cruiser",
  "fast-check",
  "knip",
  "oxfmt",
  "oxlint",
  "oxlint-tsgolint",
  "prisma",
  "smtp-server",
  "vitest",
];

export function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`ARLArena Studio needs Node 20.19 or newer; this is ${process.versions.node} (https://nodejs.org)`);
  process.exit(1);
}

/**
 * Installs missing packages in `folder`. Without `withTools`, only those that a start needs; but where some tool is
 * installed, an outdated installation is replaced by a whole one, so that nobody loses a package.
 */
export async function installPackages({ isQuiet = false, withTools = false, folder = root } = {}) {
  const lock = await readLock(join(folder, "package-lock.json"));
  const present = (await readLock(join(folder, "node_modules", ".package-lock.json"))).packages;
  const needed = withTools ? lock : withoutTools(lock);
  if (isInstalled(needed, present)) return;
  if (!isQuiet) console.log("Installing packages from the npm registry …");
  if (withTools && isInstalled(withoutTools(lock), present)) await runNpm(["install", "--no-save"], folder);
  else if (withTools || tools.some((name) => present[`node_modules/${name}`])) await runNpm(["ci"], folder);
  else await installInto(folder, needed);
  const installed = await readLock(join(folder, "node_modules", ".package-lock.json"));
  if (isInstalled(needed, installed.packages)) return;
  console.error("The packages could not be installed: npm did not install all of package-lock.json");
  process.exit(1);
}

/** Installs the packages of a lock in a folder of their own, and moves them to their place once they are whole. */
async function installInto(folder, lock) {
  const draft = join(folder, ".next/packages");
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { devDependencies } = lock.packages[""];
  await writeFile(join(draft, "package.json"), JSON.stringify({ ...manifest, devDependencies, scripts: {}, bin: {} }));
  await writeFile(join(draft, "package-lock.json"), JSON.stringify(lock));
  await copyFile(join(folder, ".npmrc"), join(draft, ".npmrc"));
  await runNpm(["ci"], draft);
  await rm(join(folder, "node_modules"), { recursive: true, force: true });
  await rename(join(draft, "node_modules"), join(folder, "node_modules"));
  await rm(draft, { recursive: true, force: true });
}

async function runNpm(words, folder) {
  const args = [...words, "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const output = [];
  // Inside `npm start`, npm sets environment variables that would affect this call of npm, so they are removed.
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^npm_(lifecycle|package|command|config_local_prefix)/.test(name),
  );
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const child = spawn(npm, args, {
    cwd: folder,
    // Training on a GPU is optional. Without this variable, older versions of npm would download CUDA's libraries.
    env: { ONNXRUNTIME_NODE_INSTALL: "skip", ...Object.fromEntries(environment) },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => child.once("error", resolve).once("close", resolve));
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  const text = Buffer.concat(output).toString();
  if (text.includes("ENOSPC")) console.error("The disk is full: packages need about 1.5 GB.");
  else console.error("The packages could not be installed: is the npm registry reachable? (npm says why, above)");
  process.exit(1);
}

/** Returns the part of a lock that is left without the tools and the packages that only they need. */
export function withoutTools({ packages, ...lock }) {
  const own = packages[""];
  const devDependencies = Object.fromEntries(
    Object.entries(own?.devDependencies ?? {}).filter(([name]) => !tools.includes(name)),
  );
  const kept = { "": { ...own, devDependencies, bin: {} } };
  const visit = (from, names) => {
    for (const name of names) {
      const path = findPackage(packages, from, name);
      if (path === undefined || kept[path]) continue;
      kept[path] = packages[path];
      visit(path, namesNeededBy(packages[path]));
    }
  };
  visit("", namesNeededBy(kept[""]));
  return { ...lock, packages: kept };
}

function namesNeededBy({ dependencies, devDependencies, optionalDependencies, peerDependencies, ...one }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !one.peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }), ...peers];
}

/** Returns the place of a package as Node.js finds it from another one: in its own node_modules or in those above. */
function findPackage(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf("node_modules/")).replace(/\/$/, "")) {
    const path = `${folder}${folder === "" ? "" : "/"}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === "") return undefined;
  }
}

// npm records finished installations in node_modules/.package-lock.json. Optional packages depend on the platform, so
// they may be missing.
function isInstalled(wanted, present) {
  return Object.entries(wanted.packages).every(
    ([path, { version, optional, devOptional }]) =>
      path === "" || optional || devOptional || present[path]?.version === version,
  );
}

async function readLock(path) {
  try {
    const { packages = {}, ...lock } = JSON.parse(await readFile(path, "utf8"));
    return { ...lock, packages };
  } catch {
    return { packages: {} };
  }
}
