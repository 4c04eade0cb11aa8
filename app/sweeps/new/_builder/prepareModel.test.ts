import { expect, it } from "vitest";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";
import { prepareModels } from "./prepareModel.ts";

const facts: ModelFacts = {
  pretrained: "/models/large",
  memoryLimitMb: 24_000,
  provider: "cpu",
  family: "llama",
  maxTokens: 131_072,
  numParameters: 1_235_814_400,
  numLearning: 11_272_192,
  memory: {
    parametersMb: 3300,
    contextTokens: 2048,
    halves: "bf16",
    rowMb: 900,
    recomputes: false,
    neededMb: 4900,
    problem: null,
  },
  problems: [],
};

it("tells size, adapters and what a run takes", () => {
  expect(prepareModels([facts, { ...facts }])).toMatchObject([
    {
      name: "large",
      what: "Llama, 1.24 B parameters, 11.3 M trainable in adapters; context of 131,072 tokens",
      memory: {
        text: "A run needs 4,900 MB of memory; the limit is 24,000 MB.",
        parts:
          "Parameters 3,300 MB (base weights in bfloat16, as in their files) · a training row of 2,048 tokens 900 MB · process and sampling 700 MB",
      },
    },
  ]);
});

it("leaves what is refused to its field, where the model is known otherwise", () => {
  const refused = { ...facts, memory: null, problems: [{ path: "policy.contextTokens", message: "too long" }] };
  expect(prepareModels([facts, refused])).toHaveLength(1);
  expect(prepareModels([refused])).toMatchObject([{ memory: null, what: expect.stringMatching(/^Llama, 1.24 B/) }]);
  const unread = { ...refused, family: null, numParameters: null, numLearning: null };
  expect(prepareModels([unread])[0]?.what).toBe("The studio cannot train this model.");
});
