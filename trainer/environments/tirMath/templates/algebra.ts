import { between, operand, type Level, listTemplates } from "../template.ts";

const factorBound = (level: Level): number => 4 + 3 * level;

export const algebra = listTemplates({
  trained: {
    linear(level, rng) {
      const [factor, root, offset] = [between(rng, 2, factorBound(level)), operand(level, rng), operand(level, rng)];
      const total = factor * root + offset;
      return {
        text: `Solve ${factor} * x + ${offset} = ${total} for x.`,
        program: [`print((${total} - ${offset}) // ${factor})`],
        answer: root,
      };
    },
    "sum and difference"(level, rng) {
      const [small, step] = [operand(level, rng), operand(level, rng)];
      const [sum, difference] = [2 * small + step, step];
      return {
        text: `Two numbers have sum ${sum} and difference ${difference}. What is the larger number?`,
        program: [`print((${sum} + ${difference}) // 2)`],
        answer: small + step,
      };
    },
    substitution(level, rng) {
      const [x, y] = [operand(level, rng), operand(level, rng)];
      const [a, b] = [between(rng, 2, factorBound(level)), between(rng, 2, factorBound(level))];
      return {
        text: `Let x = ${x} and y = ${y}. What is ${a} * x + ${b} * y?`,
        program: [`x = ${x}`, `y = ${y}`, `print(${a} * x + ${b} * y)`],
        answer: a * x + b * y,
      };
    },
    "larger root"(level, rng) {
      const small = between(rng, 1, factorBound(level));
      const large = small + between(rng, 1, factorBound(level));
      const [sum, product] = [small + large, small * large];
      return {
        text: `What is the larger root of x ** 2 - ${sum} * x + ${product} = 0?`,
        program: [
          `for x in range(${product + 1}):`,
          `    if x ** 2 - ${sum} * x + ${product} == 0:`,
          "        answer = x",
          "print(answer)",
        ],
        answer: large,
      };
    },
  },
  heldOut: {
    "both sides"(level, rng) {
      const [right, root] = [between(rng, 2, factorBound(level)), operand(level, rng)];
      const left = right + between(rng, 1, factorBound(level));
      const offset = (left - right) * root;
      return {
        text: `Solve ${left} * x = ${right} * x + ${offset} for x.`,
        program: [`print(${offset} // (${left} - ${right}))`],
        answer: root,
      };
    },
  },
});
