import { describe, expect, it } from "vitest";
import { Aggregation } from "#trainer/spec/dimensions.ts";
import { aggregationWeights, weightsByParts, type AggregationOptions } from "./aggregation.ts";

const shape = [3, 4] as const;
// Mask of three rows: two response tokens, three response tokens, no response.
const mask = [1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0];
const weights = (aggregation: Aggregation, options: Partial<AggregationOptions> = {}, given = mask): Float32Array =>
  aggregationWeights(given, shape, { aggregation, normaliserTokens: 10, ...options });

describe("the weight of a token", () => {
  it.each([
    ["tokenMean", 1 / 5, 1 / 5],
    ["seqMeanTokenMean", 1 / 4, 1 / 6],
    ["seqMeanTokenSum", 1 / 2, 1 / 2],
    ["seqMeanTokenSumNorm", 1 / 20, 1 / 20],
  ] as const)("%s does not count the row without response", (aggregation, first, second) => {
    const expected = [first, first, 0, 0, second, second, second, 0, 0, 0, 0, 0];
    expect([...weights(aggregation)]).toEqual(expected.map((x) => expect.closeTo(x, 7)));
  });

  it.each(Aggregation.options)("%s of parts of a minibatch adds up to the whole", (aggregation) => {
    const whole = weights(aggregation);
    const parts = [0, 1, 2].flatMap((row) => {
      const part = mask.slice(4 * row, 4 * row + 4);
      return [...aggregationWeights(part, [1, 4], { aggregation, normaliserTokens: 10, numTokens: 5, numRows: 2 })];
    });
    expect(parts).toEqual([...whole]);
  });

  it.each(Aggregation.options)("%s is 0 everywhere when every row is masked", (aggregation) => {
    expect([
      ...weights(
        aggregation,
        {},
        mask.map(() => 0),
      ),
    ]).toEqual(mask.map(() => 0));
  });
});

describe("micro-batch means", () => {
  // Mask of rows with 1, 3 and 2 response tokens; parts have two rows each.
  const mask = Float32Array.of(1, 0, 0, 1, 1, 1, 1, 1, 0);
  const parts = (aggregation: Aggregation): number[] => [
    ...weightsByParts(mask, [3, 3], { aggregation, partRows: 2, normaliserTokens: 5 }),
  ];
  const close = (expected: readonly number[]) => expected.map((x) => expect.closeTo(x, 6));

  it("are means of the parts' means, worked by hand", () => {
    expect(parts("tokenMean")).toEqual(close([1 / 8, 0, 0, 1 / 8, 1 / 8, 1 / 8, 1 / 4, 1 / 4, 0]));
    expect(parts("seqMeanTokenMean")).toEqual(close([1 / 4, 0, 0, 1 / 12, 1 / 12, 1 / 12, 1 / 4, 1 / 4, 0]));
  });

  it("are the minibatch's own when there is one part", () => {
    for (const partRows of [null, 3, 99]) {
      const options = { partRows, normaliserTokens: 5 };
      expect(weightsByParts(mask, [3, 3], { ...options, aggregation: "tokenMean" })).toEqual(
        aggregationWeights(mask, [3, 3], { ...options, aggregation: "tokenMean" }),
      );
    }
  });
});

it("a plain sum weighs every response token 1", () => {
  expect([...aggregationWeights([1, 0, 1, 1], [2, 2], { aggregation: "tokenSum", normaliserTokens: 5 })]).toEqual([
    1, 0, 1, 1,
  ]);
});
