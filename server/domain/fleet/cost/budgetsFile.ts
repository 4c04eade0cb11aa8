import { z } from "zod";
import { budgetUnits } from "./budgetLine.ts";

/** Schema of the name of a budget or alert channel. */
export const FileEntryName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$/,
    "must begin with a letter or digit and have max. 63 letters, digits, spaces, dots, underscores or hyphens",
  );

const Budget = z
  .strictObject({
    name: FileEntryName,
    sweep: z.string().min(1).max(100).optional(),
    /** Name of the user whose sweeps the budget covers. */
    person: z.string().min(1).max(100).optional(),
    /** Applies the limit to each sweep or user separately. Without any of these three fields, all runs are covered. */
    each: z.enum(["sweep", "person"]).optional(),
    /** Period in days up to now: only attempts that began within it count. If absent, all attempts count. */
    days: z.int().min(1).max(3660).optional(),
    runs: z.int().min(1).max(1e9).optional(),
    hours: z.number().positive().max(1e9).optional(),
    money: z.number().positive().max(1e15).optional(),
  })
  .superRefine(({ sweep, person, each, ...limits }, context) => {
    const whose = Object.entries({ sweep, person, each }).flatMap(([key, value]) => (value === undefined ? [] : [key]));
    if (whose.length > 1) {
      context.addIssue({
        code: "custom",
        path: [whose[1] ?? ""],
        message: `cannot be combined with ${whose[0]}: remove one of them`,
      });
    }
    if (budgetUnits.every((unit) => limits[unit] === undefined)) {
      context.addIssue({ code: "custom", message: "has no limit: add runs, hours or money" });
    }
  });
export type Budget = z.infer<typeof Budget>;

/** Schema of `budgets.yaml` in the state folder: limits of compute use above which alert channels are notified. */
export const BudgetsFile = z.strictObject({ budgets: z.array(Budget).max(100) }).superRefine(({ budgets }, context) => {
  for (const [i, { name }] of budgets.entries()) {
    if (budgets.findIndex((other) => other.name === name) === i) continue;
    context.addIssue({
      code: "custom",
      path: ["budgets", i, "name"],
      message: `two budgets are named “${name}”: rename one`,
    });
  }
});
export type BudgetsFile = z.infer<typeof BudgetsFile>;
