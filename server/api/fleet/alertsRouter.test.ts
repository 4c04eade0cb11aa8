import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { createCaller } from "../root.ts";
import type { Caller } from "../people/caller.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
const home = mkdtempSync(join(tmpdir(), "alerts-"));
const file = join(home, "alerts.yaml");
const before = process.env["ARLARENA_HOME"];
const as = (caller: Caller) => createCaller({ database, notifications, analyst: makeAnalystHere(database), caller });
const holder = { kind: "session", isSameOrigin: true, person: null } as const;
const planted = "https://hooks.slack.com/planted";

beforeAll(async () => {
  process.env["ARLARENA_HOME"] = home;
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
});
afterAll(async () => {
  if (before === undefined) delete process.env["ARLARENA_HOME"];
  else process.env["ARLARENA_HOME"] = before;
  rmSync(home, { recursive: true });
  await notifications.close();
  await database.close();
});

it("an administrator's form writes the file, whose addresses no answer and no log contain", async () => {
  const { alerts, changes } = as(holder);
  await alerts.save({ kind: "slack", name: "team", url: planted, severity: "unstable" });
  await alerts.save({ before: "team", kind: "slack", name: "crew", severity: "collapsed" });
  expect(readFileSync(file, "utf8")).toContain(planted);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const shown = await alerts.channels();
  expect(shown).toMatchObject({ channels: [{ name: "crew", severity: "collapsed" }], problem: null });
  const entries = await changes.list({});
  expect(JSON.stringify([shown, entries])).not.toContain("planted");
  expect(entries[0]?.sentence).toEqual([{ text: "Changed the alert channel crew" }]);
  await alerts.test({ channel: "crew" });
  await alerts.remove({ channel: "crew" });
  expect((await alerts.channels()).channels).toEqual([]);
});

it("refuses everybody else, and what would make the file invalid; the file stays as it was", async () => {
  writeFileSync(file, "# mine\nchannels: []\n");
  const channel = { kind: "slack", name: "x", url: "https://example.org", severity: "unstable" } as const;
  const token = { kind: "token", tokenHash: "x", name: "robot", expiresAt: null, person: null } as const;
  await expect(as({ ...token, scopes: ["read", "write"] }).alerts.save(channel)).rejects.toThrow();
  await expect(as({ ...holder, isSameOrigin: false }).alerts.save(channel)).rejects.toThrow();
  await expect(as(holder).alerts.save({ ...channel, url: "file:///etc/passwd" })).rejects.toThrow("https://");
  await expect(as(holder).alerts.remove({ channel: "x" })).rejects.toThrow("no channel");
  expect(readFileSync(file, "utf8")).toBe("# mine\nchannels: []\n");
});
