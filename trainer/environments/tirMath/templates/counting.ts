import { between, choose, countOf, sumOf, listTemplates } from "../template.ts";

export const counting = listTemplates({
  trained: {
    choices(level, rng) {
      const n = between(rng, 4, 6 + 2 * level);
      const k = between(rng, 2, 3);
      return {
        text: `In how many ways can you choose ${k} of ${n} books?`,
        program: ["from math import comb", `print(comb(${n}, ${k}))`],
        answer: choose(n, k),
      };
    },
    orders(level, rng) {
      const n = between(rng, 3, 5 + 3 * level);
      const k = between(rng, 2, 3);
      return {
        text: `In how many orders can ${k} of ${n} books stand in a row?`,
        program: ["from math import perm", `print(perm(${n}, ${k}))`],
        answer: choose(n, k) * (k === 2 ? 2 : 6),
      };
    },
    multiples(level, rng) {
      const [last, divisor] = [between(rng, 20, 40 * level * level), between(rng, 3, 9)];
      return {
        text: `How many numbers from 1 to ${last} are divisible by ${divisor}?`,
        program: [`print(sum(n % ${divisor} == 0 for n in range(1, ${last + 1})))`],
        answer: Math.floor(last / divisor),
      };
    },
    dice(level, rng) {
      const sides = between(rng, 4, 6 + 4 * level);
      const total = between(rng, 3, 2 * sides - 1);
      return {
        text: `Roll two dice with ${sides} sides. In how many ways is the sum ${total}?`,
        program: [`r = range(1, ${sides + 1})`, `print(sum(a + b == ${total} for a in r for b in r))`],
        answer: countOf(1, sides, (a) => total - a >= 1 && total - a <= sides),
      };
    },
  },
  heldOut: {
    either(level, rng) {
      const last = between(rng, 20, 40 * level * level);
      const [a, b] = [between(rng, 2, 5), between(rng, 6, 9)];
      return {
        text: `How many numbers from 1 to ${last} are divisible by ${a} or by ${b}?`,
        program: [`print(sum(n % ${a} == 0 or n % ${b} == 0 for n in range(1, ${last + 1})))`],
        answer: sumOf(1, last, (n) => (n % a === 0 || n % b === 0 ? 1 : 0)),
      };
    },
  },
});
