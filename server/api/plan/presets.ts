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

// Plans by their texts. Parsing all presets takes 0.3 s, and every visit of the form reads them.
const parsed = new Map<string, SweepPlan>();

export async function readPresets(folder = join(process.cwd(), "public", "presets")): Promise<Preset[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
  return Promise.all(
    names.map(async (name) => {
      const id = name.replace(/\.yaml$/, "");
      const text = await readFile(join(folder, name), "utf8");
      const plan = parsed.get(text) ?? parsePlan(text);
      parsed.set(text, plan);
      return { id, plan, isPaper: listPaperPresets().includes(id) };
    }),
  );
}
