import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSecrets } from "./secrets.ts";

let home = "";
let file = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-secrets-"));
  file = join(home, "secrets.env");
});
afterAll(() => rm(home, { recursive: true, force: true }));

const environment = { WANDB_API_KEY: "of the environment", HF_TOKEN: "hub" };

it("come from the environment, before it from the file, which its owner alone may read", async () => {
  const read = (...names: string[]) => readSecrets({ home, environment }, names);
  expect(read("WANDB_API_KEY")).toEqual({ WANDB_API_KEY: "of the environment" });
  await writeFile(file, "# mine\nexport WANDB_API_KEY='a=b'\nOTHER=two words \n", { mode: 0o600 });
  expect(read("WANDB_API_KEY", "OTHER", "HF_TOKEN")).toEqual({
    WANDB_API_KEY: "a=b",
    OTHER: "two words",
    HF_TOKEN: "hub",
  });
  expect(() => read("MISSING")).toThrow(
    `the secret MISSING is neither in ${file} nor in the orchestrator's environment`,
  );
  await chmod(file, 0o640);
  expect(() => read("OTHER")).toThrow(`${file} has mode 640: others could read its secrets; chmod 600 ${file}`);
});
