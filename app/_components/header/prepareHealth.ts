import type { OrchestratorHealth } from "#server/db/fleet/heartbeat.ts";
import { describeFullDisks } from "#server/domain/runs/runStatus.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";
import { formatCount } from "#app/_charts/format.ts";

type Words = { tone: Tone; icon: IconName; text: string; short: string; sentence: string };

const notRunning = "Nothing is launched and no results are read until it runs again: start it with npm start.";

export function prepareHealth(health: OrchestratorHealth | "unreachable" | undefined): Words {
  if (health === undefined) return { tone: "neutral", icon: "clock", text: "Checking…", short: "…", sentence: "" };
  if (health === "unreachable") {
    const sentence = "The server or its database does not answer. This page may be out of date.";
    return { tone: "bad", icon: "warning", text: "Server not reachable", short: "Offline", sentence };
  }
  if (health.state !== "alive") {
    const sentence = `The orchestrator launches runs and reads their logs. ${notRunning}`;
    return { tone: "warn", icon: "warning", text: "Orchestrator not running", short: "Stopped", sentence };
  }
  const { slots, slotsUsed, fullDisks } = health;
  if (fullDisks.length > 0) {
    const sentence = "Runs there write a checkpoint and wait until there is room. The page Nodes shows the free space.";
    return {
      tone: "bad",
      icon: "pause",
      text: `Paused: ${describeFullDisks(fullDisks)}`,
      short: "Disk full",
      sentence,
    };
  }
  const text = `${slotsUsed} of ${formatCount(slots, "slot")} busy`;
  const sentence = "The orchestrator is running; a slot holds one run at a time.";
  return { tone: slotsUsed > 0 ? "accent" : "good", icon: "check", text, short: `${slotsUsed}/${slots}`, sentence };
}
