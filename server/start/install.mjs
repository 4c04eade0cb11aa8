// Functions that start.mjs and check.mjs share. This module imports only Node's own modules, because no packages may
// be installed yet.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`ARLArena Studio needs Node 20.19 or newer; this is ${process.versions.node} (https://nodejs.org)`);
  process.exit(1);
}

/** Runs `npm ci` unless node_modules matches package-lock.json already. */
export async function installPackages({ isQuiet = false } = {}) {
  if (await isInstalled()) return;
  if (!isQuiet) console.log("Installing packages from the npm registry …");
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const output = [];
  // Inside `npm start`, npm sets environment variables that would affect this call of npm, so they are removed.
  const environment = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command)/.test(name));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const child = spawn(npm, args, {
    cwd: root,
    // Training on a GPU is optional. Without this variable, older versions of npm would download CUDA's libraries.
    env: { ONNXRUNTIME_NODE_INSTALL: "skip", ...Object.fromEntries(environment) },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => child.once("error", resolve).once("close", resolve));
  if (code === 0 && (await isInstalled())) return;
  process.stderr.write(Buffer.concat(output));
  const text = Buffer.concat(output).toString();
  if (text.includes("ENOSPC")) console.error("The disk is full: packages need about 1.5 GB.");
  else console.error("The packages could not be installed: is the npm registry reachable? (npm ci says why, above)");
  process.exit(1);
}

// True if all packages are installed. npm records finished installations in node_modules/.package-lock.json. Optional
// packages depend on the platform, so they may be missing.
async function isInstalled() {
  const wanted = await readPackages("package-lock.json");
  const present = await readPackages(join("node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) =>
      path === "" || optional || devOptional || present[path]?.version === version,
  );
}

async function readPackages(path) {
  try {
    return JSON.parse(await readFile(join(root, path), "utf8")).packages ?? {};
  } catch {
    return {};
  }
}
