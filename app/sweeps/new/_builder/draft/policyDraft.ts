import type { Draft, PolicyKind } from "./draft.ts";

export const modelPath = "policy.pretrained";

/** Paths of the settings that only one kind of policy has. */
const ownPaths: Readonly<Record<PolicyKind, readonly string[]>> = {
  builtIn: ["policy.size", "policy.positions"],
  pretrained: [modelPath, "policy.contextTokens", "policy.loraRank", "policy.loraAlpha", "policy.loraTargets"],
};

/** Returns the kind of policy in the form: `pretrained` if a pretrained model is named. */
export function policyKindOf({ policy, values }: Draft): PolicyKind {
  return values[modelPath] === undefined ? (policy?.kind ?? "builtIn") : "pretrained";
}

/** Chooses a kind of policy: restores the values of its fields, and stores those of the other kind in `aside`. */
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

/** Paths of the section Policy: the chosen kind's fields, and the other kind's fields that a file has set. */
export function policyPaths(draft: Draft): readonly string[] {
  const kind = policyKindOf(draft);
  const strays = ownPaths[kind === "builtIn" ? "pretrained" : "builtIn"].filter(
    (path) => draft.values[path] !== undefined,
  );
  return [...ownPaths[kind], ...strays, ...(kind === "pretrained" ? [memoryPath] : [])];
}

/** This setting belongs to the section Policy, because the model determines the memory limit of a run. */
const memoryPath = "execution.memoryLimitMb";

/** True if the form shows a setting in the section Policy instead of the section Hyperparameters. */
export function isOfPolicy(path: string, kind: PolicyKind): boolean {
  return path.startsWith("policy.") || (kind === "pretrained" && path === memoryPath);
}
