import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Mounts a file system of this size on a folder; false where that is not allowed (it takes Linux and root). */
export function mountSmallDisk(folder: string, kilobytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** At once for whoever looks: the shell around a job that has just ended may hold its folder for a moment more. */
export function unmountSmallDisk(folder: string): void {
  execFileSync("umount", ["--lazy", folder]);
}
