import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes executable shell scripts into a folder for PATH. They are real programs with the output of a driver's tool,
 * and find the system's own programs behind them.
 */
export function writePrograms(folder: string, scripts: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
  return `${folder}:/usr/bin:/bin`;
}
