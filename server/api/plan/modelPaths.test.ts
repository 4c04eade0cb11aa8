import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Scope } from "#server/domain/people/access.ts";
import type { Parameter } from "#server/domain/plan/search/space.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { createCaller } from "../root.ts";
import type { Caller } from "../people/caller.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
const folder = realpathSync(mkdtempSync(join(tmpdir(), "arlarena-models-")));
const [models, elsewhere, home] = ["models", "elsewhere", "home"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const qwen = join(import.meta.dirname, "../../../trainer/policy/llama/testing/models/qwen3");

beforeAll(async () => {
  for (const path of [models, elsewhere, home]) mkdirSync(path);
  cpSync(qwen, join(models, "qwen3"), { recursive: true });
  cpSync(qwen, join(elsewhere, "secret"), { recursive: true });
  writeFileSync(join(elsewhere, "config.json"), "root:x:0:0:root:/root:/bin/bash");
  symlinkSync(elsewhere, join(models, "away"));
  mkdirSync(join(models, "linked"));
  symlinkSync(join(elsewhere, "config.json"), join(models, "linked/config.json"));
  mkdirSync(join(models, "huge"));
  writeFileSync(join(models, "huge/config.json"), "[1");
  truncateSync(join(models, "huge/config.json"), 150e6);
  mkdirSync(join(models, "text"));
  writeFileSync(join(models, "text/config.json"), "password=hunter2");
  writeFileSync(join(home, "models.yaml"), `folders: [${models}]\n`);
  vi.stubEnv("ARLARENA_HOME", home);
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  globalThis.arlarenaModelReader?.close();
  await notifications.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

const asker = (caller: Caller) => createCaller({ database, notifications, analyst: makeAnalystHere(database), caller });
const person = (role: "viewer" | "editor" | "administrator"): Caller => ({
  kind: "session",
  isSameOrigin: true,
  person: { id: 1, name: "Ada", role },
});
const holder: Caller = { kind: "session", isSameOrigin: true, person: null };

const planWith = (pretrained: string, more: object = {}) =>
  checkPlan({
    name: "of a model",
    environments: [{ id: "sokoban" }],
    methods: ["grpo"],
    seeds: [1],
    base: { policy: { pretrained }, initialisation: { kind: "scratch" } },
    ...more,
  });

async function preview(caller: Caller, pretrained: string) {
  const { models: facts } = await asker(caller).sweep.preview(planWith(pretrained));
  return facts[0];
}

it("reads for people with a name the models of the folders that the administrator named, and no other file", async () => {
  expect(await preview(person("viewer"), join(models, "qwen3"))).toMatchObject({ family: "qwen3", problems: [] });
  const message = `a folder is one of the model folders that the administrator names in models.yaml, or lies in one: they are ${models}`;
  const forbidden = ["", "secret", "nothing", "config.json"].map((name) => join(elsewhere, name));
  const around = [join(models, "../elsewhere/secret"), "./package.json", "../"];
  const linked = [
    join(models, "away"),
    join(models, "away/secret"),
    join(models, "away/nothing"),
    join(models, "linked"),
  ];
  for (const role of ["viewer", "administrator"] as const) {
    for (const path of [...forbidden, ...around, ...linked]) {
      const facts = await preview(person(role), path);
      expect(facts, path).toMatchObject({ numParameters: null, problems: [{ path: "policy.pretrained", message }] });
    }
  }
});

it("repeats nothing of a file, and does not read one that is too large", async () => {
  const [text] = (await preview(person("viewer"), join(models, "text")))?.problems ?? [];
  expect(text?.message).toBe(`cannot read ${join(models, "text/config.json")}: it is not JSON`);
  const [huge] = (await preview(holder, join(models, "huge")))?.problems ?? [];
  expect(huge?.message).toMatch(/it has 150000000 bytes, the limit is 16777216$/);
});

it("lets whoever has the terminal's address name any folder", async () => {
  expect(await preview(holder, join(elsewhere, "secret"))).toMatchObject({ family: "qwen3", problems: [] });
  const tokenOf = (scopes: Scope[]): Caller => {
    return { kind: "token", tokenHash: "", name: "t", scopes, expiresAt: null, person: null };
  };
  expect(await preview(tokenOf(["read", "administer"]), join(elsewhere, "secret"))).toMatchObject({ family: "qwen3" });
  expect(await preview(tokenOf(["read"]), join(elsewhere, "secret"))).toMatchObject({ family: null });
});

it("launches for people nothing that would train on another folder, by whatever field it is named", async () => {
  const editor = asker(person("editor"));
  const secret = join(elsewhere, "secret");
  const choice = { kind: "choice", of: ["/etc/passwd"] } satisfies Parameter;
  const search = {
    objective: { metric: "rollout/successRate", goal: "maximize" },
    trials: 2,
    parallel: 1,
    space: { "policy.pretrained": choice },
  };
  const refused = /lies in one: they are/;
  await expect(editor.sweep.create(planWith(secret))).rejects.toThrow(refused);
  await expect(editor.sweep.create(planWith("/nowhere/model"))).rejects.toThrow(refused);
  const axes = { "policy.pretrained": [join(models, "qwen3"), secret] };
  await expect(editor.sweep.create(planWith(join(models, "qwen3"), { axes }))).rejects.toThrow(refused);
  await expect(editor.sweep.create(planWith(join(models, "qwen3"), { search }))).rejects.toThrow(refused);
  const wider = { id: "any", space: { "policy.pretrained": choice } };
  await expect(editor.sweep.setSpace(wider)).rejects.toThrow(refused);
  // The node itself may have the folder, so the plan is accepted.
  const { id } = await editor.sweep.create(planWith(join(models, "on-the-node")));
  expect(await database.prisma.run.count({ where: { sweepId: id } })).toBe(1);
  await asker(holder).sweep.create(planWith(secret));
});

it("says at every field that is wrong in the administrator's file", async () => {
  writeFileSync(join(home, "models.yaml"), `folders: [models]\n`);
  await expect(preview(person("viewer"), "/data/x")).rejects.toThrow(
    "folders.0: is not an absolute path such as /data/models",
  );
  writeFileSync(join(home, "models.yaml"), `folders: [${folder}]\n`);
  await expect(preview(person("viewer"), "/data/x")).rejects.toThrow(
    /contains the state folder .*home, to which runs write/,
  );
  vi.stubEnv("ARLARENA_MODEL_FOLDERS", `${models}:/data/models`);
  expect(await preview(person("viewer"), join(models, "qwen3"))).toMatchObject({ family: "qwen3" });
  vi.stubEnv("ARLARENA_MODEL_FOLDERS", "");
});
