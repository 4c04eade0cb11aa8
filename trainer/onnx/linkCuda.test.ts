import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { linkCuda } from "./providers.ts";

const shared = "libonnxruntime_providers_shared.so";
const cuda = "libonnxruntime_providers_cuda.so";
let folder = "";
let from = "";
let into = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "arlarena-cuda-"));
  [from, into] = [join(folder, "from"), join(folder, "into")];
  for (const each of [from, into]) mkdirSync(each);
});
afterEach(() => rmSync(folder, { recursive: true }));
const put = (...names: string[]): void => {
  for (const name of names) writeFileSync(join(from, name), "");
};

it("links both files beside ONNX Runtime, again where the folder is another one", () => {
  put(shared, cuda, "libonnxruntime.so.1.30.0");
  symlinkSync("/elsewhere", join(into, cuda));
  linkCuda(from, into, "1.30.0");
  linkCuda(from, into, "1.30.0");
  expect([shared, cuda].map((name) => readlinkSync(join(into, name)))).toEqual([join(from, shared), join(from, cuda)]);
});

it("refuses a folder that lacks a file, is of another version or is not there", () => {
  put(shared);
  expect(() => linkCuda(from, into, "1.30.0")).toThrow(`ARLARENA_CUDA: the folder ${from} has no ${cuda}`);
  put(cuda, "libonnxruntime.so.1.31.1");
  expect(() => linkCuda(from, into, "1.30.0")).toThrow(
    `ARLARENA_CUDA: the files of ${from} are of ONNX Runtime 1.31.1, and the trainer has 1.30.0`,
  );
  expect(() => linkCuda(join(folder, "gone"), into, "1.30.0")).toThrow(/^ARLARENA_CUDA: ENOENT/);
  expect(() => linkCuda(from, join(folder, "gone"), "1.31.1")).toThrow(
    /^ARLARENA_CUDA: .*providers_shared.so cannot be linked beside ONNX Runtime: ENOENT/,
  );
});
