import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** How a service shows that it still works: by the event loop, or by what it is there for. */
export type Probe = { kind: "ping" } | { kind: "http"; url: string };

/** Whether a service answers within so many milliseconds; what it answers does not matter. */
export async function answersProbe(child: ChildProcess, probe: Probe, patienceMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    if (probe.kind === "ping") {
      const answer = once(child, "message", { signal });
      child.send("ping", () => {});
      await answer;
      return true;
    }
    const response = await fetch(probe.url, { redirect: "manual", signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
