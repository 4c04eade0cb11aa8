import { expect, it } from "vitest";
import { listTabs, openTab } from "./tabs.ts";

const names = (...asked: Parameters<typeof listTabs>) => listTabs(...asked).map(({ value }) => value);

it("shows early warning from five collapses on, and phases where two numbers vary", () => {
  expect(names("overview", undefined)).toEqual(["overview", "survival", "replay", "dimensions", "findings"]);
  expect(names("overview", { numCollapsed: 4, numNumericVaried: 1 })).not.toContain("warning");
  expect(names("overview", { numCollapsed: 5, numNumericVaried: 2 })).toEqual(
    expect.arrayContaining(["warning", "phases"]),
  );
});

it("shows a tab that a link asks for, by its former names too", () => {
  expect(names("phases", { numCollapsed: 0, numNumericVaried: 0 })).toContain("phases");
  for (const former of ["detectors", "climbs", "warning"]) {
    expect(openTab.parse(new URLSearchParams(`tab=${former}`))).toBe("warning");
  }
  expect(openTab.write(new URLSearchParams("tab=climbs"), "warning").toString()).toBe("tab=warning");
});
