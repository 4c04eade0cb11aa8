import { z } from "zod";
import { parseRunReason, parseRunStatus } from "#server/domain/runs/runStatus.ts";
import { Hindsight, StatusChanges, statuses } from "#packages/detector";

/** Columns used by several statements, parsed to the type used in code. */
export const RunStatusColumn = z.string().transform(parseRunStatus);
export const RunReasonColumn = z.string().nullable().transform(parseRunReason);
export const DetectionColumns = {
  status: z.enum(statuses),
  index: z.number().nullable(),
  iteration: z.int(),
  numSteps: z.int(),
  changes: StatusChanges,
  keys: z.array(z.string()),
  hindsight: Hindsight.nullable(),
};
