import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files of the project `slow` first, the rest as vitest orders it: what takes longest is not begun last. */
export class Longest extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ project }: TestSpecification): boolean => project.name === "slow";
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
