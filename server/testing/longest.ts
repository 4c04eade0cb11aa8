import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files, the longest first, as the lists at the end of `npm test` and `npm run soak` have them on two quiet cores. */
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
 * The longest files first, then those of the project `slow`, then the rest as vitest orders it. In a fresh clone vitest
 * knows no durations and goes by size: the longest file began after a minute and a half, and all else waited for it.
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
