import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import type { ProbeResult } from "../checking/probe.ts";
import type { TestId } from "../checking/runTests.ts";

/** Writes a user's report of a call with a wrong result. */
export function writeIssue(style: SweGymSpec["issueStyle"], wrong: ProbeResult, test: TestId): string {
  const call = `${wrong.name}(${wrong.args.join(", ")})`;
  const isThrown = wrong.buggy.startsWith("!");
  switch (style) {
    case "symptom":
      return isThrown
        ? `${call} raises ${wrong.buggy.slice(1)} but should return ${wrong.correct}.`
        : `${call} returns ${wrong.buggy} but should return ${wrong.correct}.`;
    case "traceback":
      return `FAILED ${test.file}::${test.name} - ${wrong.reason}`;
    case "vague":
      return `${wrong.name} gives wrong results since the last change.`;
  }
}

export const issueWords = "raises returns but should return gives wrong results since the last change .".split(" ");
