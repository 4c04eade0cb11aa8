import { between, operand, sumOf, listTemplates } from "../template.ts";

const modulus = 1000;

export const intermediate = listTemplates({
  trained: {
    polynomial(level, rng) {
      const [a, b, c] = [between(rng, 2, 4 + level), between(rng, 2, 4 + level), operand(level, rng)];
      const x = between(rng, 2, 5 + 4 * level);
      return {
        text: `Let f(x) = ${a} * x ** 2 + ${b} * x + ${c}. What is f(${x})?`,
        program: [`x = ${x}`, `print(${a} * x ** 2 + ${b} * x + ${c})`],
        answer: a * x * x + b * x + c,
      };
    },
    recurrence(level, rng) {
      const [start, factor, step] = [between(rng, 1, 9), between(rng, 2, 3), between(rng, 1, 9)];
      const times = between(rng, 2, 2 + 3 * level);
      let x = start;
      for (let i = 0; i < times; i++) x = (factor * x + step) % modulus;
      return {
        text: `Start with ${start}. Replace x by (${factor} * x + ${step}) % ${modulus}, ${times} times. What is x?`,
        program: [
          `x = ${start}`,
          `for i in range(${times}):`,
          `    x = (${factor} * x + ${step}) % ${modulus}`,
          "print(x)",
        ],
        answer: x,
      };
    },
    "sum of values"(level, rng) {
      const [last, factor] = [between(rng, 2, 3 + 3 * level), between(rng, 2, 4 + level)];
      return {
        text: `Let f(x) = x ** 2 + ${factor} * x. What is the sum of f(x) for x from 1 to ${last}?`,
        program: [`print(sum(x ** 2 + ${factor} * x for x in range(1, ${last + 1})))`],
        answer: sumOf(1, last, (x) => x * x + factor * x),
      };
    },
  },
  heldOut: {
    "two terms"(level, rng) {
      const [first, second, times] = [between(rng, 1, 5), between(rng, 1, 5), between(rng, 2, 3 + 2 * level)];
      let [a, b] = [first, second];
      for (let i = 0; i < times; i++) [a, b] = [b, a + b];
      return {
        text: `Start with ${first} and ${second}. Each next number is the sum of the last two. What is the last number after ${times} more?`,
        program: [`a, b = ${first}, ${second}`, `for i in range(${times}):`, "    a, b = b, a + b", "print(b)"],
        answer: b,
      };
    },
  },
});
