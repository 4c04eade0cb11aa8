import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";

/**
 * Downloads Debian packages and unpacks them into a folder, without installing them or being root; throws if this
 * fails. The folder is renamed when complete: several tests may need it at once, and none must find an incomplete one.
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
    // Another test has already created the folder, with the same contents.
    if (!(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
  }
}
