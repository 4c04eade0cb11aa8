import { expect, it } from "vitest";
import { listProblems } from "../problems.ts";
import { checkFile, probeModel } from "./check.ts";
import { choosePolicy, policyKindOf, policyPaths, setPolicy } from "./policy.ts";
import { setSetting } from "./settings.ts";
import { emptyFile, type Part } from "./sweepFile.ts";

const start: Part = { ...emptyFile, methods: ["grpo"] };
const set = (file: Part, values: Record<string, string>): Part =>
  Object.entries(values).reduce((changed, [path, text]) => setPolicy(changed, path, text), file);
const policyIn = (file: Part) => checkFile(file).valid?.expansion.cells[0]?.spec.policy;

it("keeps what was typed for either kind of policy while the other is chosen", () => {
  const model = { "policy.pretrained": "Qwen/Qwen3-0.6B", "policy.loraRank": "8", "policy.contextTokens": "1024" };
  const first = choosePolicy(set(start, { "policy.size": "micro" }), {}, "pretrained");
  const chosen = set(first.file, model);
  expect(policyIn(chosen)).toMatchObject({ pretrained: "Qwen/Qwen3-0.6B", loraRank: 8, contextTokens: 1024 });
  const back = choosePolicy(chosen, first.aside, "builtIn");
  expect(policyIn(back.file)).toEqual({ size: "micro", positions: null });
  expect(choosePolicy(back.file, back.aside, "pretrained").file).toEqual(chosen);
  expect(choosePolicy(chosen, first.aside, "pretrained").file).toBe(chosen);
});

it("asks for a name where a model was chosen and none is named, in its own section", () => {
  const chosen = choosePolicy(start, {}, "pretrained").file;
  expect(policyKindOf(chosen)).toBe("pretrained");
  const { issues, valid } = checkFile(chosen);
  expect(valid).toBeUndefined();
  expect(issues).toEqual([
    { field: "base.policy.pretrained", message: "needs a model: owner/name on a hub, or a folder" },
  ]);
  expect(policyKindOf(set(set(chosen, { "policy.pretrained": "Q" }), { "policy.pretrained": "" }))).toBe("pretrained");
  expect(listProblems(issues, "pretrained")).toEqual([{ text: "Pretrained model", section: "section-policy" }]);
  const wrong = checkFile(set(chosen, { "policy.pretrained": "Qwen3" })).issues;
  expect(wrong).toEqual([
    { field: "base.policy.pretrained", message: expect.stringMatching(/^must be a folder such as/) },
  ]);
  const searched = { ...chosen, axes: { "policy.pretrained": ["Qwen/Qwen3-0.6B", "Qwen/Qwen3-1.7B"] } };
  expect(checkFile(searched).issues).toEqual([]);
});

it("shows the memory limit beside a model, and a setting of the other kind where it is set", () => {
  const model = set(start, { "policy.pretrained": "Qwen/Qwen3-0.6B", "policy.positions": "rotary" });
  expect(policyPaths(model)).toEqual(expect.arrayContaining(["policy.positions", "execution.memoryLimitMb"]));
  expect(policyPaths(start)).toEqual(["policy.size", "policy.positions"]);
  const issue = { field: "base.execution.memoryLimitMb", message: "does not hold it" };
  expect(listProblems([issue], "pretrained")[0]?.section).toBe("section-policy");
  expect(listProblems([issue])[0]?.section).toBe("section-hyperparameters");
});

it("asks what is known of a model while the rest of the form is not complete", () => {
  const values = { "policy.pretrained": "Qwen/Qwen3-0.6B", "execution.memoryLimitMb": "9000" };
  const probe = probeModel(setSetting(set({ ...start, methods: [], seeds: "x" }, values), "update.klCoef", "x"));
  expect(probe?.expansion.cells.map(({ spec }) => [spec.policy.pretrained, spec.execution.memoryLimitMb])).toEqual([
    ["Qwen/Qwen3-0.6B", 9000],
  ]);
  expect(probeModel(start)).toBeUndefined();
  expect(probeModel(set(start, { "policy.pretrained": "Qwen3" }))).toBeUndefined();
});
