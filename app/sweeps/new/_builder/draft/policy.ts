import { isSet, setSetting } from "./settings.ts";
import { readIn, setIn, type Part } from "./sweepFile.ts";

export type PolicyKind = "builtIn" | "pretrained";

export const modelPath = "policy.pretrained";

const ownPaths: Readonly<Record<PolicyKind, readonly string[]>> = {
  builtIn: ["policy.size", "policy.positions"],
  pretrained: [modelPath, "policy.contextTokens", "policy.loraRank", "policy.loraAlpha", "policy.loraTargets"],
};

/** A pretrained policy whose model is not named yet has an empty name in the file. */
export function policyKindOf(file: Part): PolicyKind {
  return isSet(file, modelPath) ? "pretrained" : "builtIn";
}

const keysOf = (kind: PolicyKind) =>
  ownPaths[kind].flatMap((path) => [
    ["base", ...path.split(".")],
    ["axes", path],
  ]);

/** Copies the settings of a kind from one file to another. */
function copy(kind: PolicyKind, from: unknown, to: Part): Part {
  return keysOf(kind).reduce((changed, keys) => {
    const value = readIn(from, keys);
    return value === undefined ? changed : setIn(changed, keys, value);
  }, to);
}

/** Chooses a kind of policy. `aside` keeps the settings of the other kind, and gives back those of this one. */
export function choosePolicy(file: Part, aside: Part, kind: PolicyKind): { file: Part; aside: Part } {
  const before = policyKindOf(file);
  if (before === kind) return { file, aside };
  const left = keysOf(before).reduce((changed, keys) => setIn(changed, keys, undefined), file);
  const chosen = kind === "pretrained" ? setPolicy(left, modelPath, "") : left;
  return { file: copy(kind, aside[kind], chosen), aside: { ...aside, [before]: copy(before, file, {}) } };
}

/** Sets the text of a field of the policy; a model without a name stays chosen. */
export function setPolicy(file: Part, path: string, text: string): Part {
  const changed = setSetting(file, path, text);
  return path === modelPath && text === "" ? setIn(changed, ["base", ...modelPath.split(".")], "") : changed;
}

/** Returns paths: the chosen kind's settings, the other kind's set ones, and a pretrained model's memory limit. */
export function policyPaths(file: Part): readonly string[] {
  const kind = policyKindOf(file);
  const strays = ownPaths[kind === "builtIn" ? "pretrained" : "builtIn"].filter((path) => isSet(file, path));
  return [...ownPaths[kind], ...strays, ...(kind === "pretrained" ? [memoryPath] : [])];
}

/** The Policy section shows a run's memory limit for pretrained models, because the model determines it. */
const memoryPath = "execution.memoryLimitMb";

export function isOfPolicy(path: string, kind: PolicyKind): boolean {
  return path.startsWith("policy.") || (kind === "pretrained" && path === memoryPath);
}
