import type { Draft, PolicyKind } from "./draft.ts";

export const modelPath = "policy.pretrained";

const ownPaths: Readonly<Record<PolicyKind, readonly string[]>> = {
  builtIn: ["policy.size", "policy.positions"],
  pretrained: [modelPath, "policy.contextTokens", "policy.loraRank", "policy.loraAlpha", "policy.loraTargets"],
};

export function policyKindOf({ policy, values }: Draft): PolicyKind {
  return values[modelPath] === undefined ? (policy?.kind ?? "builtIn") : "pretrained";
}

/** Restores the texts of the kind's fields, and stores those of the other kind in `aside`. */
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

/** Returns paths: the chosen kind's settings, the other kind's set ones, and a pretrained model's memory limit. */
export function policyPaths(draft: Draft): readonly string[] {
  const kind = policyKindOf(draft);
  const strays = ownPaths[kind === "builtIn" ? "pretrained" : "builtIn"].filter(
    (path) => draft.values[path] !== undefined,
  );
  return [...ownPaths[kind], ...strays, ...(kind === "pretrained" ? [memoryPath] : [])];
}

/** The Policy section shows a run's memory limit for pretrained models, because the model determines it. */
const memoryPath = "execution.memoryLimitMb";

export function isOfPolicy(path: string, kind: PolicyKind): boolean {
  return path.startsWith("policy.") || (kind === "pretrained" && path === memoryPath);
}
