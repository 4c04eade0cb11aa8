import { expect, test } from "vitest";
import { methodNames, methodOf, methods } from "#trainer/spec/method.ts";
import { comparedNames, findMethods, groupMethods } from "./groupMethods.ts";

test("every published method stands in one group, by what makes it differ from GRPO", () => {
  const groups = groupMethods(methodNames);
  expect(groups.flatMap(({ names }) => names).toSorted()).toEqual([...methodNames].toSorted());
  expect(groups.map(({ title, names }) => [title, names.map((name) => methods[name].title)])).toEqual([
    ["Base", ["GRPO"]],
    ["Loss aggregation", ["GRPO_ST"]],
    [
      "Ratio clipping",
      [
        "GRPO_SM",
        "SAPO",
        "SAPO_SM",
        "CISPO",
        "CISPO_SM",
        "AEPO",
        "GMPO",
        "Clip-Cov",
        "KL-Cov",
        "GSPO",
        "DPPO_TV",
        "DPPO_KL",
        "prime-rl",
        "IPO (prime-rl)",
        "DRPO",
        "SPO",
        "DRO",
        "ASPO",
        "CE-GPPO",
      ],
    ],
    [
      "Advantage design",
      [
        "RLOO",
        "REINFORCE++",
        "REINFORCE++ (baseline)",
        "PPO",
        "GiGPO",
        "EMPG",
        "OPO",
        "Pass@k",
        "MaxRL",
        "HGPO",
        "ReMax",
      ],
    ],
    ["Dynamic sampling", ["DAPO_GRPO"]],
    ["Several dimensions", ["Dr. GRPO", "DAPO_GiGPO", "SAMPO", "LUSPO", "Turn-PPO", "GPG"]],
    [
      "Correction",
      [
        "GRPO_TIS",
        "GRPO_SeqTIS",
        "GRPO_SeqMIS",
        "GRPO_GeoRS",
        "GRPO_K3RS",
        "IcePop",
        "TRM",
        "GRPO_SeqMaskTIS",
        "Decoupled PPO",
        "Bypass GRPO",
        "Bypass PG",
        "M2PO",
        "VESPO",
        "VCPO",
        "OPSM",
        "VCPO_OPOB",
      ],
    ],
  ]);
});

test("what ARLArena compares is 22 methods, from GRPO to SAMPO, none with a correction", () => {
  expect(comparedNames).toEqual(methodNames.slice(0, 22));
  expect([comparedNames[0], comparedNames.at(-1)]).toEqual(["grpo", "sampo"]);
  expect(comparedNames.filter((name) => methodOf(name).correction)).toEqual([]);
});

test("the search finds methods by title, name, paper and what they do, beyond ARLArena's 22", () => {
  expect(findMethods("gspo")).toContain("gspo");
  expect(findMethods("icepop")).toHaveLength(1);
  expect(comparedNames).not.toEqual(expect.arrayContaining(findMethods("icepop")));
  expect(findMethods("2402.03300")).toContain("grpo");
  expect(findMethods("no such method")).toEqual([]);
  expect(findMethods("")).toEqual(methodNames);
});
