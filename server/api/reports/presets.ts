import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parsePlan, type SweepPlan } from "#server/domain/sweep/plan.ts";

export type Preset = { id: string; plan: SweepPlan };

/** The sweep files that come with the product, by file name. */
export async function readPresets(folder = join(process.cwd(), "public", "presets")): Promise<Preset[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
  return Promise.all(
    names.map(async (name) => ({
      id: name.replace(/\.yaml$/, ""),
      plan: parsePlan(await readFile(join(folder, name), "utf8")),
    })),
  );
}
