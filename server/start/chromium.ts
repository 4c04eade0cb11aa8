import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const places = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/snap/bin/chromium"];

/** Returns the path of an installed browser: ARLARENA_CHROMIUM, the system's browser, or Playwright's download. */
export function findChromium(): string | undefined {
  const named = process.env["ARLARENA_CHROMIUM"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const system = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [named, ...system, ...places, playwrightsOwn()].find((path) => path !== undefined && existsSync(path));
}

/** Installs Playwright's Chromium unless one is installed, or Debian's package as root. True if there is one now. */
export function installChromium(): boolean {
  if (findChromium()) return true;
  console.log("Installing Chromium for the end-to-end tests …");
  const stdio = ["ignore" as const, "ignore" as const, "inherit" as const];
  const cli = createRequire(import.meta.url).resolve("@playwright/test/cli");
  spawnSync(process.execPath, [cli, "install", "chromium"], { stdio, timeout: 300_000 });
  if (findChromium()) return true;
  if (process.getuid?.() !== 0) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio, env });
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], { stdio, env });
  return findChromium() !== undefined;
}

function playwrightsOwn(): string | undefined {
  try {
    return chromium.executablePath();
  } catch {
    return undefined;
  }
}
