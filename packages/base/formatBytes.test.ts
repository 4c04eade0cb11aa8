import { expect, test } from "vitest";
import { formatBytes } from "./formatBytes.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1234, "1.2 kB"],
  [45_600, "46 kB"],
  [1_234_567, "1.2 MB"],
  [2e9, "2.0 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
