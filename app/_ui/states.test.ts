import { expect, it } from "vitest";
import { iconPaths } from "./Icon.tsx";
import { states, stateOf } from "./states.ts";

it("gives each state one glyph that no other state has", () => {
  const titles = new Map<string, Set<string>>();
  for (const { icon, title } of Object.values(states)) {
    const path = iconPaths[icon];
    titles.set(path, (titles.get(path) ?? new Set()).add(title));
  }
  const shared = [...titles.values()].filter(({ size }) => size > 1).map((names) => [...names].sort());
  // The detector's word for "nothing wrong", and the word in hindsight.
  expect(shared).toEqual([["Healthy", "No alarms"]]);
});

it("says the outcome once it is known, and the alarm until then", () => {
  const alarm = { word: "unstable", iteration: 20 } as const;
  const outcome = (word: "collapsed" | "not judged yet") => ({ word, iteration: null, fall: null });
  expect(stateOf({ alarm, hindsight: outcome("not judged yet") }).title).toBe("Unstable");
  expect(stateOf({ alarm, hindsight: outcome("collapsed") })).toBe(states.collapsed);
});
