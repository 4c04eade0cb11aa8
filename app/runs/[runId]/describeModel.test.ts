import { expect, it } from "vitest";
import { describeModel } from "./describeModel.ts";

const sha256 = "0123456789abcdef".repeat(4);

it("names a folder by its checksum, and a hub's model by its commit too", () => {
  expect(describeModel({ name: "/models/a", sha256 })).toEqual({
    text: "model /models/a, SHA-256 0123456789ab…",
    title: `/models/a\nSHA-256 of its files: ${sha256}`,
  });
  const commit = "c1899de289a04d12100db370d81485cdf75e47ca";
  expect(describeModel({ name: "Qwen/Qwen3-0.6B", commit, sha256 }).text).toBe(
    "model Qwen/Qwen3-0.6B at commit c1899de, SHA-256 0123456789ab…",
  );
});
