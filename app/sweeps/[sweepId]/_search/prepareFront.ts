import type { ShownArm } from "#server/api/plan/searches.ts";
import type { Front } from "#server/domain/plan/search/front.ts";

export type FrontPoint = { number: number; x: number; y: number; isBest: boolean };

/** Trials with values for both of the first two objectives. */
export function prepareFront({ trials }: Pick<ShownArm, "trials">, { numbers }: Pick<Front, "numbers">): FrontPoint[] {
  return trials.flatMap(({ number, values }) => {
    const [x = null, y = null] = values;
    return x === null || y === null ? [] : [{ number, x, y, isBest: numbers.includes(number) }];
  });
}
