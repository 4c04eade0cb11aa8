import { expect, it } from "vitest";
import { listProblems } from "../problems.ts";
import { emptyDraft, type Draft } from "./draft.ts";
import { setValue } from "./edits.ts";
import { choosePolicy, policyKindOf, policyPaths } from "./policyDraft.ts";
import { checkDraft, probeModel } from "./toPlan.ts";

const start: Draft = { ...emptyDraft(), methods: ["grpo"] };
const set = (draft: Draft, values: Record<string, string>): Draft =>
  Object.entries(values).reduce((changed, [path, text]) => setValue(changed, path, text), draft);
const policyIn = (draft: Draft) => checkDraft(draft).valid?.expansion.cells[0]?.spec.policy;

it("keeps what was typed for either kind of policy while the other is chosen", () => {
  const model = { "policy.pretrained": "Qwen/Qwen3-0.6B", "policy.loraRank": "8", "policy.contextTokens": "1024" };
  const chosen = set(choosePolicy(set(start, { "policy.size": "micro" }), "pretrained"), model);
  expect(policyIn(chosen)).toMatchObject({ pretrained: "Qwen/Qwen3-0.6B", loraRank: 8, contextTokens: 1024 });
  const back = choosePolicy(chosen, "builtIn");
  expect(policyIn(back)).toEqual({ size: "micro", positions: null });
  expect(choosePolicy(back, "pretrained").values).toEqual(chosen.values);
  expect(choosePolicy(chosen, "pretrained")).toBe(chosen);
});

it("asks for a name where a model was chosen and none is named, in its own section", () => {
  const chosen = choosePolicy(start, "pretrained");
  expect(policyKindOf(chosen)).toBe("pretrained");
  const { issues } = checkDraft(chosen);
  expect(issues).toEqual([
    { field: "values.policy.pretrained", message: "needs a model: owner/name on a hub, or a folder" },
  ]);
  expect(listProblems(issues, "pretrained")).toEqual([{ text: "Pretrained model", section: "section-policy" }]);
  const wrong = checkDraft(set(chosen, { "policy.pretrained": "Qwen3" })).issues;
  expect(wrong).toEqual([
    { field: "values.policy.pretrained", message: expect.stringMatching(/^must be a folder such as/) },
  ]);
});

it("shows the memory limit beside a model, and a setting of the other kind where it is set", () => {
  const model = set(start, { "policy.pretrained": "Qwen/Qwen3-0.6B", "policy.positions": "rotary" });
  expect(policyPaths(model)).toEqual(expect.arrayContaining(["policy.positions", "execution.memoryLimitMb"]));
  expect(policyPaths(start)).toEqual(["policy.size", "policy.positions"]);
  const issue = { field: "values.execution.memoryLimitMb", message: "does not hold it" };
  expect(listProblems([issue], "pretrained")[0]?.section).toBe("section-policy");
  expect(listProblems([issue])[0]?.section).toBe("section-hyperparameters");
});

it("asks what is known of a model while the rest of the form is not complete", () => {
  const values = { "policy.pretrained": "Qwen/Qwen3-0.6B", "execution.memoryLimitMb": "9000", "kl.coef": "x" };
  const probe = probeModel(set({ ...start, methods: [], seeds: "x" }, values));
  expect(probe?.expansion.cells.map(({ spec }) => [spec.policy.pretrained, spec.execution.memoryLimitMb])).toEqual([
    ["Qwen/Qwen3-0.6B", 9000],
  ]);
  expect(probeModel(start)).toBeUndefined();
  expect(probeModel(set(start, { "policy.pretrained": "Qwen3" }))).toBeUndefined();
});
