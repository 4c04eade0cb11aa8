import type { LoggedStep } from "./point.ts";

type Values = Readonly<Record<string, number>>;

/**
 * Makes a converter to a common iteration axis for a trainer that counts rollouts and updates separately (slime). An
 * iteration is a rollout with the updates logged after it, whose values are averaged. An update before the first
 * rollout keeps its own number.
 */
export function makeRollouts() {
  let rollout: number | undefined;
  let sums = new Map<string, { sum: number; count: number }>();
  return {
    takeRollout: (step: number, values: Values): LoggedStep => {
      if (step !== rollout) sums = new Map();
      rollout = step;
      return { step, values: { ...values } };
    },
    takeUpdate: (step: number, values: Values): LoggedStep => {
      if (rollout === undefined) return { step, values: { ...values } };
      const means = Object.entries(values).map(([key, value]) => {
        const { sum, count } = sums.get(key) ?? { sum: 0, count: 0 };
        sums.set(key, { sum: sum + value, count: count + 1 });
        return [key, (sum + value) / (count + 1)] as const;
      });
      return { step: rollout, values: Object.fromEntries(means) };
    },
  };
}
