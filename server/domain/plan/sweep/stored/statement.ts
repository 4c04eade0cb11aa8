import { z } from "zod";
import { MadeInitialisation } from "#trainer/spec/run.ts";
import { methodNames } from "#trainer/spec/method.ts";
import { Method } from "#trainer/spec/methodSchema.ts";
import { badInput } from "#packages/base";
import { Base, written } from "../settings/base.ts";
import { refuseValue } from "../problems.ts";

/** Hyperparameters that a user enters for runs of another trainer, as in a plan; an absent one is unknown. */
export const StatedSettings = Base.omit({ trainer: true, execution: true }).extend({
  initialisation: written(MadeInitialisation).optional(),
});

/** Facts that a user enters about runs of another trainer; the method is a published one or four choices. */
export const Statement = z.strictObject({
  method: z.union([z.enum(methodNames), Method]).exactOptional(),
  /** Id of a built-in environment, or the name of any other environment. */
  environment: z.string().trim().min(1).max(100).exactOptional(),
  settings: StatedSettings.exactOptional(),
});
export type Statement = z.infer<typeof Statement>;

/** Parses the facts that a user entered. Throws `bad_input` with field, value and limit, or if no fact is given. */
export function parseStatement(value: unknown): Statement {
  const parsed = Statement.safeParse(value, { reportInput: true });
  if (!parsed.success) throw refuseValue(parsed.error);
  if (Object.keys(parsed.data).length > 0) return parsed.data;
  throw badInput([{ path: "", message: "names no method, environment or setting: enter at least one" }]);
}
