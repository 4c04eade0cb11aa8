import { expect, it } from "vitest";
import { showToken } from "./Tokens.tsx";

it.each([
  ["up", "up"],
  [" up", "␣up"],
  ["  ", "␣␣"],
  [".\n\n", ".↵↵"],
  ["a b ", "a b␣"],
  ["\t\r\n", "⇥␍↵"],
  ["<action>", "<action>"],
])("shows the token %j as %s", (text, shown) => {
  expect(showToken(text)).toBe(shown);
});
