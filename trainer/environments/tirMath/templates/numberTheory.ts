import { between, countOf, gcd, operand, powerModulo, sumOf, listTemplates } from "../template.ts";

export const numberTheory = listTemplates({
  trained: {
    gcd(level, rng) {
      const common = operand(level, rng);
      const [a, b] = [common * between(rng, 2, 3 + 2 * level), common * between(rng, 2, 3 + 2 * level)];
      return {
        text: `What is the greatest common divisor of ${a} and ${b}?`,
        program: ["from math import gcd", `print(gcd(${a}, ${b}))`],
        answer: gcd(a, b),
      };
    },
    lcm(level, rng) {
      const [a, b] = [between(rng, 3, 6 + 9 * level), between(rng, 3, 6 + 9 * level)];
      return {
        text: `What is the least common multiple of ${a} and ${b}?`,
        program: ["from math import lcm", `print(lcm(${a}, ${b}))`],
        answer: (a / gcd(a, b)) * b,
      };
    },
    power(level, rng) {
      const [base, exponent] = [between(rng, 2, 4 + level * level), between(rng, 2, 4 + level ** 3)];
      const modulus = between(rng, 3, 7 + 8 * level);
      return {
        text: `What is the remainder when ${base} ** ${exponent} is divided by ${modulus}?`,
        program: [`print(${base} ** ${exponent} % ${modulus})`],
        answer: powerModulo(base, exponent, modulus),
      };
    },
    remainder(level, rng) {
      const [a, b] = [operand(level, rng) * between(rng, 5, 9), between(rng, 3, 5 + 8 * level)];
      return {
        text: `What is the remainder when ${a} is divided by ${b}?`,
        program: [`print(${a} % ${b})`],
        answer: a % b,
      };
    },
    divisors(level, rng) {
      const n = between(rng, 6, 12 * level * level);
      return {
        text: `How many divisors does ${n} have?`,
        program: [`print(sum(${n} % d == 0 for d in range(1, ${n + 1})))`],
        answer: countOf(1, n, (d) => n % d === 0),
      };
    },
    digits(level, rng) {
      const n = between(rng, 10, 99 * 10 ** Math.min(level, 3));
      return {
        text: `What is the sum of the digits of ${n}?`,
        program: [`n = ${n}`, "s = 0", "while n > 0:", "    s += n % 10", "    n //= 10", "print(s)"],
        answer: String(n)
          .split("")
          .reduce((sum, digit) => sum + Number(digit), 0),
      };
    },
  },
  heldOut: {
    "sum of divisors"(level, rng) {
      const n = between(rng, 6, 12 * level * level);
      return {
        text: `What is the sum of the divisors of ${n}?`,
        program: [`print(sum(d for d in range(1, ${n + 1}) if ${n} % d == 0))`],
        answer: sumOf(1, n, (d) => (n % d === 0 ? d : 0)),
      };
    },
    primes(level, rng) {
      const n = between(rng, 8, 10 + 30 * level);
      const isPrime = (m: number): boolean => countOf(1, m, (d) => m % d === 0) === 2;
      return {
        text: `How many primes are there from 2 to ${n}?`,
        program: [
          "count = 0",
          `for n in range(2, ${n + 1}):`,
          "    if all(n % d > 0 for d in range(2, n)):",
          "        count += 1",
          "print(count)",
        ],
        answer: countOf(2, n, isPrime),
      };
    },
  },
});
