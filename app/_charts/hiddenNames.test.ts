import { expect, it } from "vitest";
import { toHiddenIds, toHiddenNames } from "./hiddenNames.ts";
import { defaultSettings, parseSettings, writeSettings } from "./settings.ts";

const legend = [
  { id: "7", label: "GRPO lr 3e-4, lag 1" },
  { id: "8", label: "SAPO" },
  { id: "9", label: "SAPO" },
];

it("writes hidden lines by name, and by id only where names are equal", () => {
  const named = toHiddenNames({ ...defaultSettings, hidden: new Set(["7", "8"]) }, legend);
  expect([...named.hidden]).toEqual(["GRPO lr 3e-4, lag 1", "8"]);
  const read = parseSettings(writeSettings(new URLSearchParams(), named));
  expect([...toHiddenIds(read, legend).hidden]).toEqual(["7", "8"]);
});

it("reads ids of older addresses, and keeps names of lines that are not shown", () => {
  const asked = { ...defaultSettings, hidden: new Set(["9", "DAPO"]) };
  expect([...toHiddenIds(asked, legend).hidden]).toEqual(["9", "DAPO"]);
});
