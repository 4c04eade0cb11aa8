import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hyperparameterField, runFields, trackedField } from "./field.ts";
import { indexFields, metricFields } from "./findField.ts";
import { parseFilter } from "./resolveFilter.ts";
import { resolveFilter } from "./resolveFilter.ts";
import { quote } from "./splitWords.ts";

const index = indexFields([
  ...runFields,
  hyperparameterField("optimizer.learningRate", { isNumber: true }),
  hyperparameterField("method.clipping.kind", { isNumber: false }),
  hyperparameterField("method.advantage.kind", { isNumber: false }),
  ...metricFields("evaluation/successRate"),
  ...metricFields("rollout/entropy"),
  trackedField("actor lr"),
]);
const resolve = (filter: string) => resolveFilter(filter, index);
const conditionOf = (filter: string) => {
  const { conditions, problems } = resolve(filter);
  expect(problems).toEqual([]);
  expect(conditions).toHaveLength(1);
  const [one] = conditions;
  return one && "field" in one ? { ...one, field: one.field.key } : one;
};

describe("a word of a filter", () => {
  it.each([
    ["method:gspo", { kind: "match", field: "method", texts: ["gspo"], isWhole: false }],
    ["method:gspo,grpo", { kind: "match", field: "method", texts: ["gspo", "grpo"], isWhole: false }],
    ['sweep="table 3"', { kind: "match", field: "sweep", texts: ["table 3"], isWhole: true }],
    ["env:sokoban", { kind: "match", field: "environment", texts: ["sokoban"], isWhole: false }],
    ["tag:paper", { kind: "match", field: "tags", texts: ["paper"], isWhole: true }],
    ["lr<1e-3", { kind: "compare", field: "optimizer.learningRate", operator: "<", number: 1e-3 }],
    ["learningrate:1e-4..1e-3", { kind: "between", field: "optimizer.learningRate", low: 1e-4, high: 1e-3 }],
    ["success>50%", { kind: "compare", field: "final.evaluation/successRate", operator: ">", number: 0.5 }],
    // Columns of rates show per cent, and so do filters; addresses with fractions stay valid.
    ["success>50", { kind: "compare", field: "final.evaluation/successRate", operator: ">", number: 0.5 }],
    ["success>0.5", { kind: "compare", field: "final.evaluation/successRate", operator: ">", number: 0.5 }],
    ["success<1", { kind: "compare", field: "final.evaluation/successRate", operator: "<", number: 1 }],
    ["success:40..60", { kind: "between", field: "final.evaluation/successRate", low: 0.4, high: 0.6 }],
    ["success:0.5..60", { kind: "between", field: "final.evaluation/successRate", low: 0.005, high: 0.6 }],
    ["success:0.4..60%", { kind: "between", field: "final.evaluation/successRate", low: 0.4, high: 0.6 }],
    ["at40.success>=12.5", { kind: "compare", field: "at40.evaluation/successRate", operator: ">=", number: 0.125 }],
    ["best.rollout/entropy>=2", { kind: "compare", field: "best.rollout/entropy", operator: ">=", number: 2 }],
    ["entropy<0.1", { kind: "compare", field: "final.rollout/entropy", operator: "<", number: 0.1 }],
    [
      "at40.evaluation/successrate<.5",
      { kind: "compare", field: "at40.evaluation/successRate", operator: "<", number: 0.5 },
    ],
    ["AT0.success:*", { kind: "has", field: "at0.evaluation/successRate" }],
    ["at7.entropy:1..2", { kind: "between", field: "at7.rollout/entropy", low: 1, high: 2 }],
    ["duration>2h", { kind: "compare", field: "duration", operator: ">", number: 7200 }],
    ["created>=2026-11-22", { kind: "compare", field: "created", operator: ">=", number: Date.UTC(2026, 10, 22) }],
    ["collapsed", { kind: "match", field: "stability", texts: ["collapsed"], isWhole: true }],
    ["ambiguous", { kind: "match", field: "stability", texts: ["ambiguous"], isWhole: true }],
    ["stability:healthy", { kind: "match", field: "stability", texts: ["healthy"], isWhole: false }],
    ["unstable", { kind: "match", field: "alarm", texts: ["unstable"], isWhole: true }],
    ['hindsight:"not judged"', { kind: "match", field: "hindsight", texts: ["not judged"], isWhole: false }],
    ["archived", { kind: "has", field: "archived" }],
    ["favourite", { kind: "has", field: "favourite" }],
    ["note:*", { kind: "has", field: "note" }],
    ["sokoban", { kind: "text", text: "sokoban" }],
    ['"collapsed"', { kind: "text", text: "collapsed" }],
  ])("%s", (filter, expected) => {
    expect(conditionOf(filter)).toEqual({ isNegated: false, ...expected });
    expect(conditionOf(`-${filter}`)).toEqual({ isNegated: true, ...expected });
  });

  it("says the opposite with != as with -", () => {
    expect(conditionOf("state!=failed")).toEqual(conditionOf("-state=failed"));
    expect(conditionOf("-state!=failed")).toEqual(conditionOf("state=failed"));
  });

  it.each([
    ["ok methd:gspo", 3, "there is no field methd; did you mean method?"],
    ["success>high", 0, "success is compared with per cent such as 40 or 40%, or a fraction such as 0.4, not high"],
    ["lr<fast", 0, "lr is compared with a number such as 3, 1e-3 or 40%, not fast"],
    ["created>today", 0, "created is compared with a date such as 2026-11-22 or 2026-11-22T14:30, not today"],
    ["method>3", 0, "method is a text field: use : to find a part or = for the whole text; > compares numbers"],
    ["a method: b", 2, "method: has no value: method:* finds runs with any value"],
    ['sweep:"table 3', 0, 'sweep:"table 3 has no closing quote'],
    ["a -", 2, "- excludes the word after it, but none follows"],
    ["kind:a", 0, "there is no field kind"],
    ["__proto__:a", 0, "there is no field __proto__"],
  ])("%s is refused at character %i", (filter, start, message) => {
    expect(resolve(filter).problems).toEqual([{ start, end: expect.any(Number), message }]);
  });
});

const odd = fc.stringMatching(/^[-a-z:"<>=!*.,%0-9 \\']*$/);

it("is never too odd to be answered, and every complaint points into it", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), odd), (filter) => {
      for (const { start, end, message } of resolve(filter).problems) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(filter.length);
        expect(message).not.toBe("");
      }
    }),
  );
});

it("accounts for every word: as a term or as a complaint", () => {
  fc.assert(
    fc.property(odd, (filter) => {
      const { terms, problems } = parseFilter(filter);
      const covered = [...terms, ...problems];
      for (const [at, character] of Array.from(filter).entries()) {
        if (character === " " || character === '"') continue;
        expect(
          covered.some(({ start, end }) => start <= at && at < end),
          `${filter} at ${at}`,
        ).toBe(true);
      }
    }),
  );
});

it("finds a quoted value again, whatever it holds but quotes", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !text.includes('"')),
      (text) => {
        expect(resolve(`sweep=${quote(text)}`).conditions).toMatchObject([
          { kind: "match", texts: [text], isWhole: true },
        ]);
      },
    ),
  );
});
