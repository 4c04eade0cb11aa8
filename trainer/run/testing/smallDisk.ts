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

export function unmountSmallDisk(folder: string): void {
  execFileSync("umount", [folder]);
}
