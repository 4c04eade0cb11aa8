import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Health check of a service: a ping to its event loop, or an HTTP request. */
export type Probe = { kind: "ping" } | { kind: "http"; url: string };

/** True where a service answers within the timeout; the content does not matter. */
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
