import { z } from "zod";
import { knob, maxTurns } from "./knob.ts";
import { PythonPackage } from "./pythonPackages.ts";

/** The subjects of the MATH dataset, in the order of its paper. */
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

/** TIR-Math: problems solved over several turns with a Python interpreter (SimpleTIR, ARLArena). */
export const TirMathSpec = z.strictObject({
  id: z.literal("tirMath"),
  families: z
    .array(MathFamily)
    .min(1)
    .max(7)
    .meta({
      title: "Subjects",
      description: "Kinds of problems, after the subjects of MATH; each holds out templates that training never shows.",
    })
    .default(["prealgebra", "number_theory"]),
  minLevel: knob([1, 5], "Lowest level", "Levels decide the size of numbers, of loops and of conditions.").default(1),
  maxLevel: knob([1, 5], "Highest level", "From level 3 on a problem asks for a loop or for large numbers.").default(2),
  maxTurns: maxTurns(10).default(4),
  feedbackTokens: knob(
    [8, 256],
    "Feedback tokens",
    "The interpreter's feedback is cut after this many words (the paper: 256).",
  ).default(32),
  reward: z
    .enum(["sparse", "plusMinus", "retool", "dense"])
    .meta({
      title: "Reward",
      description:
        "sparse: 1 for a right answer; plusMinus: 1 or −1 (verl); retool: −1 is softened to −0.6 by the use of the tool; dense: 0.1 for a first program that runs, 0.1 when it prints the answer, 0.8 for the answer.",
    })
    .default("sparse"),
  // Python packages for programs. The field is absent, not empty, by default, so that older runs keep their hash and
  // their checkpoints.
  packages: z
    .array(PythonPackage)
    .max(1)
    .meta({
      title: "Python packages",
      description: "Packages that programs can import beside the standard library; fetched once from a package index.",
    })
    .optional(),
});
export type TirMathSpec = z.infer<typeof TirMathSpec>;
