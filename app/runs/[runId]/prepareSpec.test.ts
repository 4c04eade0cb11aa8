import { expect, it } from "vitest";
import { CellSpec } from "#trainer/spec/run.ts";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { environmentIds } from "#app/_components/episode/settings.ts";
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
  expect(find("optimizer.learningRate")?.about).toBe(
    "Learning rate: Learning rate of AdamW, constant over reinforcement learning.",
  );
});

it("shows what is switched off as off", () => {
  const masked = CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo") });
  const method = prepareSpec(masked).find(({ name }) => name === "method");
  expect(method?.lines.find(({ path }) => path === "clipping.sequenceMask")?.value).toBe("off");
});

it("names settings as people do, whatever the method and the environment: no key of the contract is left", () => {
  for (const id of environmentIds) {
    for (const method of methodNames) {
      const whole = CellSpec.parse({
        environment: { id },
        method: methodOf(method),
        optimizer: { learningRate: 0.25520833333 },
      });
      const lines = prepareSpec(whole).flatMap((group) => group.lines);
      const raw = lines.filter(({ title }) => /\w\.[a-z]|[a-z][A-Z]/.test(title.replaceAll(/LoRA|AdamW/g, "")));
      expect(raw.map(({ path, title }) => [path, title])).toEqual([]);
      expect(lines.filter(({ value }) => /\d\.\d{6,}/.test(value))).toEqual([]);
    }
  }
});
