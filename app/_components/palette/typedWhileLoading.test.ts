import { expect, it } from "vitest";
import { typeKey } from "./Keys.tsx";

const type = (...keys: string[]) =>
  keys.reduce((text, key) => typeKey(text, { key, hasCommand: false, hasAlt: false }), "");

it("keeps what is typed before the palette is there", () => {
  expect(type("l", "a", "t", "e", "x")).toBe("latex");
  expect(type("l", "Shift", "A", " ", "é", "ArrowDown", "Enter")).toBe("lA é");
  expect(type("a", "b", "Backspace", "Backspace", "Backspace", "c")).toBe("c");
});

it("takes no chord for text", () => {
  expect(typeKey("a", { key: "k", hasCommand: true, hasAlt: false })).toBe("a");
  expect(typeKey("a", { key: "x", hasCommand: false, hasAlt: true })).toBe("a");
});
