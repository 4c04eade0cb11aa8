import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Paths of the slowest test files, slowest first, by their times in `npm test` and `npm run soak` on two idle cores.
 */
const longest = [
  "server/engine/orchestrator/chaos.test.ts",
  "server/engine/orchestrator/slurm.test.ts",
  "server/engine/orchestrator/clusterWalk.test.ts",
  "server/engine/playground/players.test.ts",
  "trainer/run/branch.test.ts",
  "server/engine/orchestrator/search.test.ts",
  "trainer/run/reproducibility.test.ts",
  "trainer/run/pretrained.test.ts",
  "server/engine/studies/recorded.test.ts",
  "server/engine/launchers/ssh/ssh.test.ts",
  "server/engine/launchers/places.test.ts",
  "server/engine/orchestrator/ssh.test.ts",
  "trainer/run/train.test.ts",
  "trainer/environments/sweGym/sweGym.test.ts",
  "trainer/python/differential.test.ts",
  "server/engine/adapter/external.test.ts",
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
