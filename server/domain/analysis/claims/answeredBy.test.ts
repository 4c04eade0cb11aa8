import { expect, it } from "vitest";
import { type Finding, listAnswering } from "./findings.ts";

const judged = (id: string, outcome: Finding["outcome"], runIds: string[] = []) => ({
  id,
  outcome,
  parts: [
    {
      question: "",
      sides: [{ name: "", n: runIds.length, numKnown: runIds.length, figure: "", runIds }],
      difference: 0,
      interval: { low: 0, high: 0 },
      p: 1,
      test: "",
      numContexts: 1,
      numLeftOut: 0,
      outcome: "supported" as const,
    },
  ],
});
const sweepOf = new Map([
  ["a1", "a"],
  ["b1", "b"],
  ["b2", "b"],
  ["c1", "c"],
]);

it("names the sweeps whose runs decide a claim that the chosen ones leave open", () => {
  const alone = [judged("clip", "notEnough"), judged("kl", "notEnough"), judged("known", "supported")];
  const together = [
    judged("clip", "supported", ["a1", "b1", "b2"]),
    judged("kl", "notEnough", ["c1"]),
    judged("known", "contradicted", ["c1"]),
  ];
  expect(listAnswering({ alone, together }, sweepOf, ["a"])).toEqual([{ claimId: "clip", sweepIds: ["b"] }]);
});

it("names none where the chosen sweeps' own runs are all that is compared", () => {
  const alone = [judged("clip", "notEnough")];
  expect(listAnswering({ alone, together: [judged("clip", "chance", ["a1"])] }, sweepOf, ["a"])).toEqual([]);
});
