import { expect, it } from "vitest";
import { titleOfLevel } from "./levelTitles.ts";

it("says levels as the builder does, what is added to one behind it, and leaves what it does not know", () => {
  expect(titleOfLevel("aggregation", "seqMeanTokenMean")).toBe("Turn mean");
  expect(titleOfLevel("clipping", "sequence+mask+correction")).toBe("Turn clip, masked, corrected");
  expect(titleOfLevel("advantage", "theirs")).toBe("theirs");
});
