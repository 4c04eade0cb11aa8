import { expect, it } from "vitest";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { parseStatement } from "#server/domain/plan/sweep/stored/statement.ts";
import { dimensionTexts } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { noStatement, readDraft, toDraft } from "./stateDraft.ts";

it("reads back what it was made of", () => {
  const statement = {
    method: "gspo",
    environment: "webshop",
    settings: { optimizer: { learningRate: 1e-6 } },
  } as const;
  expect(readDraft(toDraft(statement))).toEqual({ statement });
  expect(readDraft(noStatement)).toEqual({ statement: undefined });
});

it("makes a point that the server takes of every level of the four dimensions", () => {
  for (const { id, levels } of dimensionTexts) {
    for (const level of levels) {
      const draft = { ...noStatement, method: "levels" as const, levels: { ...noStatement.levels, [id]: level.id } };
      const { method } = parseStatement(readDraft(draft).statement);
      expect(typeof method === "object" && factorLevels({ ...methodOf("grpo"), [id]: method[id] })[id]).toBe(level.id);
    }
  }
  const ofMethods = methodNames.map((name) => ({
    ...noStatement,
    method: "levels" as const,
    levels: factorLevels(methodOf(name)),
  }));
  for (const draft of ofMethods) {
    const { method } = parseStatement(readDraft(draft).statement);
    expect(dimensionFactors.map((factor) => typeof method === "object" && factorLevels(method)[factor])).toEqual(
      dimensionFactors.map((factor) => draft.levels[factor]),
    );
  }
});

it("says which setting cannot be read", () => {
  expect(readDraft({ ...noStatement, settings: "lr 3" }).problem).toContain("lr 3: section.name=value is needed");
});
