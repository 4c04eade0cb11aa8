import { z } from "zod";

/** Trace categories that Chromium has to record during a visit. */
export const traced = ["toplevel"];

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Microseconds of the thread's CPU time. */
      tdur: z.number().optional(),
      args: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/** CPU milliseconds of the longest task on a page's main thread. Throws where the trace has none. */
export function longestTaskOf(trace: Buffer): number {
  return Math.max(...tasksOf(trace));
}

/** CPU milliseconds of each task on a page's main thread. Throws where the trace has none. */
export function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = Trace.parse(JSON.parse(trace.toString()));
  const threadOf = ({ pid, tid }: { pid: number; tid: number }) => `${pid}.${tid}`;
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.["name"] === "CrRendererMain");
  const mains = new Set(named.map(threadOf));
  const tasks = traceEvents.filter((event) => event.name.endsWith("RunTask") && mains.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("the trace has no task of a page");
  return tasks.map(({ tdur }) => (tdur ?? 0) / 1000);
}
