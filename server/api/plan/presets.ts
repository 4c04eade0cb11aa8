import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { listPaperPresets } from "#server/domain/publish/papers/papers.ts";
import { parsePlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";

export type Preset = {
  id: string;
  plan: SweepPlan;
  /** True for a preset of a paper's table or figure, as `npx arlarena paper` launches it. */
  isPaper: boolean;
};

export async function readPresets(folder = join(process.cwd(), "public", "presets")): Promise<Preset[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
  return Promise.all(
    names.map(async (name) => {
      const id = name.replace(/\.yaml$/, "");
      const plan = parsePlan(await readFile(join(folder, name), "utf8"));
      return { id, plan, isPaper: listPaperPresets().includes(id) };
    }),
  );
}
