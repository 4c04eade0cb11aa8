import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";

/**
 * Debian's packages, fetched and unpacked into a folder: nothing is installed, and the user need not be root. Throws. Made
 * beside and renamed: several tests may want the same at a time, and none must find half of it.
 */
export function unpackPackages(folder: string, packages: readonly string[]): void {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const options = { cwd: draft, stdio: "pipe", timeout: 180_000 } as const;
    execFileSync("apt-get", ["download", ...packages], options);
    for (const name of readdirSync(draft).filter((file) => file.endsWith(".deb"))) {
      execFileSync("dpkg", ["-x", name, "."], options);
    }
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another test was quicker; its folder is the same.
    if (!(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
  }
}
