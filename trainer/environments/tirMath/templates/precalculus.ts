import { between, sumOf, listTemplates } from "../template.ts";

export const precalculus = listTemplates({
  trained: {
    term(level, rng) {
      const [first, step, n] = [between(rng, 1, 9 * level), between(rng, 2, 4 * level), between(rng, 3, 10 * level)];
      return {
        text: `A sequence starts with ${first} and grows by ${step}. What is term ${n}?`,
        program: [`print(${first} + ${step} * (${n} - 1))`],
        answer: first + step * (n - 1),
      };
    },
    series(level, rng) {
      const [first, step, n] = [between(rng, 1, 9), between(rng, 2, 3 + level), between(rng, 3, 8 * level)];
      return {
        text: `A sequence starts with ${first} and grows by ${step}. What is the sum of its first ${n} terms?`,
        program: [`print(sum(${first} + ${step} * k for k in range(${n})))`],
        answer: sumOf(0, n - 1, (k) => first + step * k),
      };
    },
    doubling(level, rng) {
      const [first, n] = [between(rng, 1, 9), between(rng, 2, 4 + level)];
      return {
        text: `A sequence starts with ${first} and doubles each time. What is the sum of its first ${n} terms?`,
        program: [`print(sum(${first} * 2 ** k for k in range(${n})))`],
        answer: first * (2 ** n - 1),
      };
    },
    squares(level, rng) {
      const [low, n] = [between(rng, 1, 4), between(rng, 5, 8 + 4 * level)];
      return {
        text: `What is the sum of k ** 2 for k from ${low} to ${n}?`,
        program: [`print(sum(k ** 2 for k in range(${low}, ${n + 1})))`],
        answer: sumOf(low, n, (k) => k * k),
      };
    },
  },
  heldOut: {
    products(level, rng) {
      const [low, n, step] = [between(rng, 1, 3), between(rng, 4, 6 + 4 * level), between(rng, 1, 4)];
      return {
        text: `What is the sum of k * (k + ${step}) for k from ${low} to ${n}?`,
        program: [`print(sum(k * (k + ${step}) for k in range(${low}, ${n + 1})))`],
        answer: sumOf(low, n, (k) => k * (k + step)),
      };
    },
  },
});
