import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readSearchReport } from "#server/api/plan/searches.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { HeadlessStudio } from "#server/engine/orchestrator/testing/headlessStudio.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { answerApi } from "../testing/answerApi.ts";
import { listen } from "../testing/listen.ts";
import { startServices, stopServices } from "../testing/services.ts";

/** Python command with the package `optuna` (PyPI); the test is skipped if it is not set. */
const python = process.env["ARLARENA_OPTUNA_PYTHON"];
const metric = "rollout/successRate";
const planText = (sampler: string) => `
name: asked
methods: [grpo]
environments: [{ id: sokoban }]
seeds: [0]
search:
  sampler: ${sampler}
  defaultsFirst: true
  space:
    optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 }
    update.minibatchRows: { kind: choice, of: [64, 128, 512] }
  objective: { metric: ${metric}, goal: maximize }
  trials: 5
`;

it.skipIf(!python)(
  "Optuna draws the trials of a sweep, and a search of ours begins with what its study knows (skipped unless ARLARENA_OPTUNA_PYTHON names a Python)",
  async () => {
    const studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "1" }, () => ({
      iterations: 4,
      everyMs: 20,
      objective: metric,
    }));
    startServices(studio.url);
    const { url, close } = await listen(answerApi);
    try {
      const plan = parsePlan(planText("{ kind: external }"));
      const id = await createSweep(studio.database, { plan, expansion: expandPlan(plan) });
      studio.startOrchestrator();
      const storage = `sqlite:///${join(studio.home, "study.db")}`;
      const run = async (example: string, ...args: string[]) => {
        const env = {
          ...process.env,
          ARLARENA_URL: url,
          ARLARENA_TOKEN: await createApiToken(studio.database, { name: "optuna", scopes: ["read", "write"] }),
          OPTUNA_STORAGE: storage,
          POLL_SECONDS: "0.2",
        };
        const words = [join(process.cwd(), "docs/examples", example), ...args];
        return (await promisify(execFile)(python ?? "", words, { env })).stdout;
      };
      const told: unknown = JSON.parse(await run("optuna_asks.py", id, "4"));
      const [configuration] = (await readSearchReport(studio.database, id))?.configurations ?? [];
      expect(configuration?.trials.map(({ state, reason }) => [state, reason])).toEqual([
        ["whole", "the configuration's own settings"],
        ...Array.from({ length: 4 }, () => ["whole", "drawn by Optuna"]),
      ]);
      expect(configuration?.differences).toEqual([]);
      const asked = configuration?.trials.slice(1).toSorted((a, b) => (b.value ?? NaN) - (a.value ?? NaN)) ?? [];
      expect(told).toEqual({ best: asked[0]?.point, value: asked[0]?.value });
      // The fifth of five trials was the last, so a further trial is refused.
      await expect(run("optuna_asks.py", id, "1")).rejects.toThrow("409");
      const known = await run("optuna_known.py", storage, id);
      const begun = parsePlan(`${planText("{ kind: tpe, numStartup: 4 }")}${known}`);
      expect(begun.search?.known?.map(({ point }) => point)).toEqual(
        configuration?.trials.slice(1).map(({ point }) => point),
      );
      expect(
        expandPlan(begun)
          .decisions?.slice(0, 2)
          .map(({ reason }) => reason),
      ).toEqual(["the configuration's own settings", "where good trials are dense, from 4 results"]);
    } finally {
      close();
      await stopServices();
      await studio.close();
    }
  },
);
