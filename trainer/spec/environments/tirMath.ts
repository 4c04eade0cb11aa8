import { z } from "zod";
import { choice, count, maxTurns } from "../setting.ts";
import { PythonPackage } from "./pythonPackages.ts";

/** Subjects of the MATH dataset, in the order of its paper. */
const MathFamily = z.enum([
  "prealgebra",
  "algebra",
  "intermediate",
  "number_theory",
  "counting",
  "geometry",
  "precalculus",
]);
export type MathFamily = z.infer<typeof MathFamily>;

/** Schema of the settings of TIR-Math: problems solved with a Python interpreter (SimpleTIR, ARLArena). */
export const TirMathSpec = z.strictObject({
  id: z.literal("tirMath"),
  families: z
    .array(MathFamily)
    .min(1)
    .max(7)
    .meta({
      title: "Subjects",
      description:
        "Subjects of the problems, as in the MATH dataset. Some problem templates of each subject never occur in training.",
    })
    .default(["prealgebra", "number_theory"]),
  minLevel: count(
    [1, 5],
    "Lowest level",
    "Level of the easiest problems. A higher level means larger numbers, longer loops and more conditions.",
  ).default(1),
  maxLevel: count(
    [1, 5],
    "Highest level",
    "Level of the hardest problems. From level 3 on, problems need a loop or large numbers.",
  ).default(2),
  maxTurns: maxTurns(10).default(4),
  feedbackTokens: count(
    [8, 256],
    "Feedback tokens",
    "Number of words after which the interpreter's output is truncated (256 in the paper).",
  ).default(32),
  reward: choice(
    ["sparse", "plusMinus", "retool", "dense"],
    "Reward",
    "sparse: 1 for a correct answer; plusMinus: 1 or −1 (verl); retool: 1 for a correct answer, otherwise −1, raised up to −0.6 by tool calls; dense: 0.1 for the first program that runs, 0.1 when a program prints the answer, 0.8 for a correct answer.",
  ).default("sparse"),
  // By default this field is absent, not an empty list, so that older runs keep their hash and their checkpoints.
  packages: z
    .array(PythonPackage)
    .max(1)
    .meta({
      title: "Python packages",
      description:
        "Python packages that programs can import besides the standard library. The studio downloads them once from a package index.",
    })
    .optional(),
});
export type TirMathSpec = z.infer<typeof TirMathSpec>;
