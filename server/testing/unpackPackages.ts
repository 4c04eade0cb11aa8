import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";

/** Debian's packages, fetched and unpacked into a folder: nothing is installed, and nobody has to be root. Throws. */
export function unpackPackages(folder: string, packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, stdio: "pipe", timeout: 180_000 } as const;
  execFileSync("apt-get", ["download", ...packages], options);
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".deb"))) {
    execFileSync("dpkg", ["-x", name, "."], options);
  }
}
