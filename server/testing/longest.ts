import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Paths of the slowest test files, slowest first, by their times in `npm test` and `npm run soak` on two idle cores.
 */
const longest = [
  "server/engine/studies/recorded.test.ts",
  "server/start/package.test.ts",
  "server/engine/playground/players.test.ts",
  "trainer/run/reproducibility.test.ts",
  "server/engine/orchestrator/clusterWalk.test.ts",
  "trainer/run/branch.test.ts",
  "server/engine/orchestrator/chaos.test.ts",
  "server/engine/orchestrator/search.test.ts",
  "server/engine/orchestrator/slurm.test.ts",
  "trainer/run/webgpu.test.ts",
  "trainer/run/pretrained.test.ts",
  "trainer/python/differential.test.ts",
  "server/start/database.test.ts",
  "trainer/environments/sweGym/sweGym.test.ts",
  "server/engine/orchestrator/imported.test.ts",
  "server/engine/orchestrator/ssh.test.ts",
  "server/engine/launchers/places.test.ts",
  "trainer/run/train.test.ts",
  "server/engine/launchers/ssh/ssh.test.ts",
  "app/api/import.test.ts",
  "app/api/access.test.ts",
  "server/api/analyst/order.test.ts",
  "server/api/fuzz.test.ts",
  "server/db/storage/plans.test.ts",
  "server/engine/adapter/external.test.ts",
  "server/engine/ingest/replayRun.test.ts",
  "server/api/rest/testing/document.test.ts",
  "trainer/environments/tirMath/tirMath.test.ts",
  "trainer/environments/textworld/textworld.test.ts",
];

/**
 * Orders test files: the slowest first, then those of the vitest project `slow`, then the others in vitest's order.
 * In a fresh clone vitest has no durations and sorts by size: the slowest file then started after 90 s, and the whole
 * run waited for it.
 */
export class Longest extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const index = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  if (index !== -1) return index;
  return longest.length + (project.name === "slow" ? 0 : 1);
}
