import { z } from "zod";

/** A step of an analysis, and how many of its parts are done. */
export const Progress = z.object({ step: z.string(), done: z.number().optional(), of: z.number().optional() });
export type Progress = z.infer<typeof Progress>;

type Tell = (progress: Progress) => void;
let tell: Tell = () => {};

/** Tells whoever waits for the analysis of this process, which does one at a time; nobody where no one listens. */
export function tellProgress(step: string, done?: number, of?: number): void {
  tell({ step, ...(done !== undefined && { done }), ...(of !== undefined && { of }) });
}

/** Sends what the next analysis tells to `listener`. */
export function listenToProgress(listener: Tell): void {
  tell = listener;
}
