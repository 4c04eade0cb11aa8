import { expect, test } from "vitest";
import { localPath } from "./localPath.ts";

test.each([
  ["/sweeps/abc?tab=runs", "/sweeps/abc?tab=runs"],
  ["", "/sweeps"],
  ["https://evil.example/", "/sweeps"],
  ["//evil.example/", "/sweeps"],
  ["/\\evil.example", "/sweeps"],
  ["/.//evil.example", "/sweeps"],
  ["javascript:alert(1)", "/sweeps"],
  ["/sign-in", "/sweeps"],
])("after signing in, %j leads to %s", (wanted, path) => {
  expect(localPath(wanted)).toBe(path);
});
