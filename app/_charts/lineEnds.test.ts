import { expect, it } from "vitest";
import { cutName, roomFor } from "./lineEnds.ts";

it("cuts long names in their middle, so that those that begin alike stay apart", () => {
  const names = ["GiGPO learning rate 0.0001", "GiGPO learning rate 0.0003"].map((name) => cutName(name, 100));
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^GiGPO….*000[13]$/);
  expect(cutName("GRPO", roomFor(["GRPO"], 600) ?? 0)).toBe("GRPO");
});
