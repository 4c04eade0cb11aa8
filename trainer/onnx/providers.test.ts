import { expect, it } from "vitest";
import { tryHere } from "./providers.ts";

it("tries the processor on every machine", async () => {
  await tryHere("cpu");
});

it("refuses what ONNX Runtime does not have", async () => {
  await expect(tryHere("abacus")).rejects.toThrow("abacus");
});
