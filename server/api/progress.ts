import { z } from "zod";

/** Step of an analysis, and the number of parts of the step that are done. */
export const Progress = z.object({ step: z.string(), done: z.number().optional(), of: z.number().optional() });
export type Progress = z.infer<typeof Progress>;

type Tell = (progress: Progress) => void;
let tell: Tell = () => {};

/** Reports progress of the one analysis that this process performs at a time; no effect without a listener. */
export function tellProgress(step: string, done?: number, of?: number): void {
  tell({ step, ...(done !== undefined && { done }), ...(of !== undefined && { of }) });
}

export function listenToProgress(listener: Tell): void {
  tell = listener;
}
