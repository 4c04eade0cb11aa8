import { z } from "zod";
import { choice, count, maxTurns, projection } from "../setting.ts";

/** Kind of bug that a SWE-Gym task asks to repair; each bug changes one line. */
export const BugFamily = z.enum([
  "off_by_one",
  "wrong_operator",
  "flipped_comparison",
  "wrong_constant",
  "swapped_arguments",
  "missing_guard",
  "wrong_variable",
  "wrong_default",
  "missing_update",
  "missing_return",
]);
export type BugFamily = z.infer<typeof BugFamily>;

/** Kind of bug that occurs only in unseen tasks and is never trained on. */
export type HeldOutFamily = "wrong_callee";

/** Topic of a generated repository, named after those of SWE-Gym. Two more topics are held out. */
export const SweGymRepo = z.enum(["pandas", "moto", "mypy", "monai", "pydantic", "conan", "bokeh", "dvc", "modin"]);

export const SweGymSpec = z.strictObject({
  id: z.literal("sweGym"),
  repos: z
    .array(SweGymRepo)
    .min(1)
    .max(9)
    .meta({ title: "Repositories", description: "Topics of the generated repositories. Each topic has six functions." })
    .default([...SweGymRepo.options]),
  bugFamilies: z
    .array(BugFamily)
    .min(1)
    .max(10)
    .meta({
      title: "Bug families",
      description:
        "Kinds of bugs that occur in training. Success is reported per kind. The kind wrong_callee occurs only in unseen tasks.",
    })
    .default([
      "off_by_one",
      "wrong_operator",
      "flipped_comparison",
      "wrong_constant",
      "wrong_variable",
      "missing_update",
    ]),
  files: count([1, 6], "Modules", "Number of source files. Each source file has a test file.").default(1),
  functionsPerFile: count(
    [1, 6],
    "Functions per module",
    "Number of functions per module. One function of the repository has the bug.",
  ).default(2),
  renamedPercent: count(
    [0, 100],
    "Variables renamed (%)",
    "Percentage of variables that are renamed in each task. At 0, a function has the same text in every task, except for the bug.",
  ).default(0),
  issueStyle: choice(
    ["symptom", "traceback", "vague"],
    "Issue",
    "symptom: a call, its result and the expected result; traceback: the line of a failed test; vague: only the statement that some results are wrong.",
  ).default("symptom"),
  hops: count(
    [0, 2],
    "Hops from symptom to bug",
    "Number of calls between the function that the issue names and the function with the bug; 0: the issue names the function with the bug.",
  ).default(0),
  maxTurns: maxTurns(50).default(8),
  reward: choice(
    ["resolved", "passRatio", "dense"],
    "Reward",
    "resolved: 1 at the end if all tests pass; passRatio: fraction of passing tests at the end, 0 without a change; dense: change of the fraction of passing tests after every edit.",
  ).default("resolved"),
  projection,
});
export type SweGymSpec = z.infer<typeof SweGymSpec>;
