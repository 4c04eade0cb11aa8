import { expect, it } from "vitest";
import { probeProviders, requireProvider } from "./providers.ts";

it("finds the CPU on every machine", async () => {
  await requireProvider("cpu");
  expect((await probeProviders(["cpu"])).get("cpu")).toBeNull();
});

it("refuses an absent provider, naming it and what is available", async () => {
  await expect(requireProvider("abacus")).rejects.toThrow(
    /^execution provider "abacus" is not available here \(.+\); available: cpu/,
  );
});
