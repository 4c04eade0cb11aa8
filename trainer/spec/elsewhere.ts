import { z } from "zod";
import { canonicalJson } from "./canonical.ts";
import { BuiltInEnvironment, EnvironmentName, type EnvironmentSpec, type SingleEnvironment } from "./environment.ts";
import { environmentsIn, packagesOf } from "./environmentParts.ts";
import { CustomSpec } from "./environments/custom.ts";
import type { PythonPackage } from "./environments/pythonPackages.ts";

/** Maximum number of other environments in which a run is evaluated. */
const maxElsewhere = 12;

/** Schema of another evaluation environment: a built-in one, or a custom task that only an external trainer has. */
export const OtherEnvironment = z.discriminatedUnion("id", [...BuiltInEnvironment.options, CustomSpec]);

export const Elsewhere = z.strictObject({
  name: EnvironmentName,
  environment: OtherEnvironment,
  numEpisodes: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Number of held-out tasks per evaluation. Absent: as many as in the run's own environment."),
  every: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(
      "Iterations between evaluations in this environment. Absent: only before the first iteration and after the last.",
    ),
});

export const ElsewhereList = z.array(Elsewhere).min(1).max(maxElsewhere);
type ElsewhereList = z.infer<typeof ElsewhereList>;

type Evaluated = {
  readonly environment: EnvironmentSpec;
  readonly evaluation: { readonly elsewhere?: ElsewhereList | undefined };
  readonly trainer?: object | undefined;
};

/** Returns a run's other evaluations, named. Default names: the id, or a custom title without punctuation. */
export function elsewhereOf({ evaluation }: Pick<Evaluated, "evaluation">) {
  return (evaluation.elsewhere ?? []).map((one) => {
    const { environment } = one;
    const usual =
      environment.id === "custom" ? environment.title.replaceAll(/[^\p{L}\p{N}_.]+/gu, "-") : environment.id;
    return { ...one, name: one.name ?? usual };
  });
}

/**
 * Returns all environments of a run without duplicates, training environments first. Mixtures and curricula are
 * replaced by their environments. A built-in policy's vocabulary has the words of all of them.
 */
export function environmentsOf(spec: Evaluated): SingleEnvironment[] {
  const all = [...environmentsIn(spec.environment), ...elsewhereOf(spec).map(({ environment }) => environment)];
  return [...new Map(all.map((environment) => [canonicalJson(environment), environment])).values()];
}

/** Returns the Python packages that programs of a run or evaluation can import besides the standard library. */
export function packagesOfJob({ spec, evaluates }: EvaluatingJob): PythonPackage[] {
  const visited = evaluates ? [evaluates.evaluation.environment] : [];
  return [...new Set([...environmentsOf(spec), ...visited].flatMap(packagesOf))];
}

type EvaluatingJob = { readonly spec: Evaluated; readonly evaluates?: StoredPolicy | undefined };

/** Finds equal names, which would give equal metric names, and custom tasks without an external trainer, in `list`. */
export function elsewhereConflictsOf(
  spec: Pick<Evaluated, "evaluation" | "trainer">,
  list = "evaluation.elsewhere",
): { path: string; message: string }[] {
  const all = elsewhereOf(spec);
  const names = all.map(({ name }) => name);
  return all.flatMap(({ name, environment }, i) => {
    const at = `${list}[${i}]`;
    const message = `"${name}" is already the name of ${list}[${names.indexOf(name)}]: choose another name`;
    return [
      ...(names.indexOf(name) < i ? [{ path: `${at}.name`, message }] : []),
      ...(environment.id === "custom" && spec.trainer === undefined
        ? [{ path: `${at}.environment.id`, message: unplayable }]
        : []),
    ];
  });
}

/** Error message for a custom task in a specification without an external trainer. */
export const unplayable =
  "custom is refused: the built-in trainer plays the studio's environments; name a trainer of trainers.yaml";

/** Command-line option for evaluating a stored policy, and the start of the output line with result or error. */
export const evaluateOption = "--evaluate";
export const evaluatedMark = "arlarena-evaluated: ";

/** Schema of a request to evaluate a finished run's policy in another environment. */
export const StoredPolicy = z.object({
  runId: z.string(),
  evaluation: Elsewhere,
  /** Iteration after which the policy was stored; null: the last iteration; 0: before reinforcement learning. */
  iteration: z.int().min(0).nullable(),
});
export type StoredPolicy = z.infer<typeof StoredPolicy>;

/** Schema of the result of an evaluation that was requested after training. */
export const StoredResult = z.object({
  successRate: z.number(),
  score: z.number().optional(),
  turns: z.number(),
  iteration: z.int(),
  /** SHA-256 of the evaluated policy's `policy.onnx`. */
  policySha256: z.string(),
});
export type StoredResult = z.infer<typeof StoredResult>;
