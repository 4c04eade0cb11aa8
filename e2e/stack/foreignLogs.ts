import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliResult, runCli } from "./runCli.ts";

export type ForeignRun = { file: string; steps: readonly Readonly<Record<string, number>>[] };

/** Imports runs of an external trainer as a sweep. The runs are finished, and their numbers are equal every time. */
export async function importRuns(home: string, name: string, runs: readonly ForeignRun[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-foreign-"));
  const files = await Promise.all(
    runs.map(async ({ file, steps }) => {
      const path = join(folder, file);
      const lines = steps.map((data, i) => JSON.stringify({ step: i + 1, data }));
      await writeFile(path, `${lines.join("\n")}\n`);
      return path;
    }),
  );
  const imported: CliResult = await runCli(home, ["import", ...files, "--name", name]);
  await rm(folder, { recursive: true });
  const [, id] = /^Sweep (\S+):/.exec(imported.stdout) ?? [];
  if (id === undefined) throw new Error(`not imported: ${imported.stdout}${imported.stderr}`);
  return id;
}
