import { expect, it } from "vitest";
import { CellSpec } from "#trainer/spec/run.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { prepareSpec } from "./prepareSpec.ts";

const spec = CellSpec.parse({
  environment: { id: "sokoban", size: 7 },
  method: methodOf("gspo"),
  optimizer: { learningRate: 1e-4 },
});
const find = (path: string) => {
  const [group, ...rest] = path.split(".");
  return prepareSpec(spec)
    .find(({ name }) => name === group)
    ?.lines.find((line) => line.path === rest.join("."));
};

it("marks what departs from the defaults, and only that", () => {
  expect(find("optimizer.learningRate")).toMatchObject({ value: "1e-4", usual: "3e-4" });
  expect(find("environment.size")).toMatchObject({ value: "7", usual: "6" });
  expect(find("optimizer.beta1")).toMatchObject({ value: "0.9", usual: null });
});

it("explains a value in the contract's own words", () => {
  expect(find("optimizer.learningRate")?.about).toBe("Learning rate: Of AdamW, constant over reinforcement learning.");
});

it("shows what is switched off as off", () => {
  const masked = CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo") });
  const method = prepareSpec(masked).find(({ name }) => name === "method");
  expect(method?.lines.find(({ path }) => path === "clipping.sequenceMask")?.value).toBe("off");
});
