import { expect, it } from "vitest";
import { prepareModels } from "./History.tsx";

it("names each model once, with the attempts that began with it", () => {
  const commit = "c1899de289a04d12100db370d81485cdf75e47ca";
  const model = { name: "Qwen/Qwen3-0.6B", commit, sha256: "0123456789abcdef".repeat(4) };
  const other = { name: "/models/a", sha256: "f".repeat(64) };
  const attempts = [model, undefined, model, other].map((one, i) => ({
    number: i + 1,
    started: one ? { model: one } : i === 1 ? null : {},
  }));
  expect(prepareModels(attempts)).toEqual([
    { ...model, attempts: [1, 3] },
    { ...other, attempts: [4] },
  ]);
});
