import { z } from "zod";

/** A step of an analysis, with the number of its parts that are done. */
export const Progress = z.object({ step: z.string(), done: z.number().optional(), of: z.number().optional() });
export type Progress = z.infer<typeof Progress>;

type Tell = (progress: Progress) => void;
let tell: Tell = () => {};

/** Reports progress of the analysis in this process, which runs one at a time. Without a listener it does nothing. */
export function tellProgress(step: string, done?: number, of?: number): void {
  tell({ step, ...(done !== undefined && { done }), ...(of !== undefined && { of }) });
}

/** Sends the progress of the next analysis to `listener`. */
export function listenToProgress(listener: Tell): void {
  tell = listener;
}
