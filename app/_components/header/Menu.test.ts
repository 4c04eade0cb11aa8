import { expect, test } from "vitest";
import type { OrchestratorHealth } from "#server/db/fleet/leadership.ts";
import { prepareHealth } from "./Menu.tsx";

const at = new Date(0);

test.each<[OrchestratorHealth | "unreachable", string, string]>([
  [{ state: "alive", at, slots: 2, slotsUsed: 2, fullDisks: [] }, "accent", "2 of 2 slots busy"],
  [{ state: "alive", at, slots: 1, slotsUsed: 0, fullDisks: [] }, "good", "0 of 1 slot busy"],
  [{ state: "silent", at, slots: 2, slotsUsed: 2, fullDisks: ["here"] }, "warn", "Orchestrator not running"],
  [{ state: "alive", at, slots: 2, slotsUsed: 0, fullDisks: ["here"] }, "bad", "Paused: disk full on here"],
  [{ state: "never" } as const, "warn", "Orchestrator not running"],
  ["unreachable" as const, "bad", "Server not reachable"],
])("health %j is said in plain words", (health, tone, text) => {
  expect(prepareHealth(health)).toMatchObject({ tone, text });
});
