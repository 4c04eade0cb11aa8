import { expect, test } from "vitest";
import { addFiles, nameSome, noFiles } from "./chosenFiles.ts";

const file = (path: string) => ({ path, file: new File(["x"], path.split("/").at(-1) ?? "") });

test("of a folder only what could be a log is sent; a file that was chosen by itself always is", () => {
  const chosen = addFiles(addFiles(noFiles, [file("odd.bin")]), [
    file("runs/10/trainer_state.json"),
    file("runs/10/config.json"),
    file("runs/2/train.log"),
    file("runs/2/model.safetensors"),
  ]);
  expect(chosen.files.map(({ path }) => path)).toEqual([
    "odd.bin",
    "runs/2/train.log",
    "runs/10/config.json",
    "runs/10/trainer_state.json",
  ]);
  expect(chosen.skipped).toEqual(["runs/2/model.safetensors"]);
});

test("many names are cut, and the rest is counted", () => {
  expect(nameSome(["a", "b"])).toBe("a, b");
  expect(nameSome(Array.from({ length: 12 }, (_, i) => `f${i}`))).toBe("f0, f1, f2 and 9 more");
});
