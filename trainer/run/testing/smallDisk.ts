import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Mounts a file system of this size on a folder; false if that is not permitted (it needs Linux and root). */
export function mountSmallDisk(folder: string, kilobytes: number): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Unmounts lazily: the shell around a job that just ended may use its folder a moment longer. */
export function unmountSmallDisk(folder: string): void {
  execFileSync("umount", ["--lazy", folder]);
}
