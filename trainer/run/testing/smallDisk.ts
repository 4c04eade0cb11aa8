import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Mounts a small disk for tests of full disks. Returns false if mounting is not permitted (needs Linux and root). */
export function mountSmallDisk(folder: string, kilobytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Unmounts lazily, because the shell that ran a job may use the folder a moment longer. */
export function unmountSmallDisk(folder: string): void {
  execFileSync("umount", ["--lazy", folder]);
}
