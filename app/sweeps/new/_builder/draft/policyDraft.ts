import type { Draft, PolicyKind } from "./draft.ts";

export const modelPath = "policy.pretrained";

/** For each kind of policy, the paths of the settings that only this kind has. */
const ownPaths: Readonly<Record<PolicyKind, readonly string[]>> = {
  builtIn: ["policy.size", "policy.positions"],
  pretrained: [modelPath, "policy.contextTokens", "policy.loraRank", "policy.loraAlpha", "policy.loraTargets"],
};

/**
 * Returns the kind of policy in the form: pretrained if a model is named, else the chosen kind, by default built-in.
 */
export function policyKindOf({ policy, values }: Draft): PolicyKind {
  return values[modelPath] === undefined ? (policy?.kind ?? "builtIn") : "pretrained";
}

/**
 * Switches the form to a kind of policy: restores the texts of its fields, and stores those of the other kind in
 * `aside`.
 */
export function choosePolicy(draft: Draft, kind: PolicyKind): Draft {
  if (policyKindOf(draft) === kind) return draft;
  const gone = ownPaths[kind === "builtIn" ? "pretrained" : "builtIn"];
  const all = Object.entries(draft.values);
  return {
    ...draft,
    values: { ...Object.fromEntries(all.filter(([path]) => !gone.includes(path))), ...draft.policy?.aside },
    policy: { kind, aside: Object.fromEntries(all.filter(([path]) => gone.includes(path))) },
  };
}

/**
 * Returns the paths in the form's Policy section: settings of the chosen kind and set ones of the other kind. A
 * pretrained model adds the memory limit.
 */
export function policyPaths(draft: Draft): readonly string[] {
  const kind = policyKindOf(draft);
  const strays = ownPaths[kind === "builtIn" ? "pretrained" : "builtIn"].filter(
    (path) => draft.values[path] !== undefined,
  );
  return [...ownPaths[kind], ...strays, ...(kind === "pretrained" ? [memoryPath] : [])];
}

/**
 * Path of a run's memory limit, which the Policy section shows for pretrained models, because the model determines
 * it.
 */
const memoryPath = "execution.memoryLimitMb";

/** Returns true if the form shows a setting in the Policy section instead of the Hyperparameters section. */
export function isOfPolicy(path: string, kind: PolicyKind): boolean {
  return path.startsWith("policy.") || (kind === "pretrained" && path === memoryPath);
}
