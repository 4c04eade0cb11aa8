import { expect, it } from "vitest";
import { cutName, roomFor, shortNames } from "./lineEnds.ts";

it("cuts long names in their middle, so that those that begin alike stay apart", () => {
  const names = ["GiGPO learning rate 0.0001", "GiGPO learning rate 0.0003"].map((name) => cutName(name, 100));
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^GiGPO….*000[13]$/);
  expect(cutName("GRPO", roomFor(["GRPO"], 600) ?? 0)).toBe("GRPO");
});

it("leaves out what all lines begin with where a name has no room", () => {
  const short = (names: readonly string[], room: number) =>
    shortNames(
      names.map((label) => ({ label, isLevel: label.startsWith("Baseline") })),
      room,
    );
  const names = ["GRPO learning rate 3e-4, lag 0", "GRPO learning rate 1e-3, lag 16"];
  expect(short(names, 120)).toEqual(["3e-4, lag 0", "1e-3, lag 16"]);
  expect(short(names, 400)).toEqual(names);
  expect(short([...names, "Baseline 0.751"], 130)[2]).toBe("Baseline 0.751");
  // Keeps the last word of each.
  expect(short(["GRPO learning rate 0.0003", "GRPO learning rate"], 110)).toEqual(["rate 0.0003", "rate"]);
  expect(short(["GRPO learning rate 0.0003"], 100)).toEqual(["0.0003"]);
});
