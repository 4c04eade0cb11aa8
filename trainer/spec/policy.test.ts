import { describe, expect, it } from "vitest";
import { PolicySpec, readPretrained } from "./policy.ts";

describe("policy.pretrained", () => {
  it.each([
    ["/models/Qwen3-0.6B", { kind: "folder", path: "/models/Qwen3-0.6B" }],
    ["/models/a@b", { kind: "folder", path: "/models/a@b" }],
    ["C:\\models\\a", { kind: "folder", path: "C:\\models\\a" }],
    ["D:/models/a", { kind: "folder", path: "D:/models/a" }],
    ["\\\\server\\models\\a", { kind: "folder", path: "\\\\server\\models\\a" }],
    ["./owner/name", { kind: "folder", path: "./owner/name" }],
    ["..\\models\\a", { kind: "folder", path: "..\\models\\a" }],
    ["Qwen/Qwen3-0.6B", { kind: "hub", name: "Qwen/Qwen3-0.6B", revision: "main" }],
    ["Qwen/Qwen3-0.6B@refs/pr/1", { kind: "hub", name: "Qwen/Qwen3-0.6B", revision: "refs/pr/1" }],
    ["a/b@0123abc", { kind: "hub", name: "a/b", revision: "0123abc" }],
  ])("%s is told apart by how it begins", (text, expected) => {
    expect(PolicySpec.parse({ pretrained: text }).pretrained).toBe(text);
    expect(readPretrained(text)).toEqual(expected);
  });

  it.each([
    "gpt2",
    "models/a/b",
    "owner/",
    "C:",
    "~/models/a",
    "owner/../name",
    "owner/name@",
    "owner/name@a b",
    "owner/name@-x",
    "hf://owner/name",
  ])("%s is neither a folder nor a model of a hub", (text) => {
    expect(PolicySpec.safeParse({ pretrained: text }).error?.issues[0]?.message).toMatch(
      /^must be a folder such as .* of the hub such as /,
    );
  });
});
