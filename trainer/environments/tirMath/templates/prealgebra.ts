import { pick } from "../../chance.ts";
import { between, listTemplates, operand, sumOf } from "../template.ts";

const goods = ["pens", "books", "apples", "cards"] as const;

export const prealgebra = listTemplates({
  trained: {
    expression(level, rng) {
      const [a, b, c] = [operand(level, rng), operand(level, rng), operand(level, rng)];
      const [expression, answer] = pick(
        [
          [`${a} + ${b} * ${c}`, a + b * c],
          [`${a} * ${b} + ${c}`, a * b + c],
          [`${a} * ${b} - ${c}`, a * b - c],
        ] as const,
        rng,
      );
      return { text: `Compute ${expression}.`, program: [`print(${expression})`], answer };
    },
    percent(level, rng) {
      const rate = between(rng, 1, level < 3 ? 9 : 19) * 5;
      const whole = operand(level, rng) * 20;
      return {
        text: `What is ${rate} percent of ${whole}?`,
        program: [`print(${whole} * ${rate} // 100)`],
        answer: (whole * rate) / 100,
      };
    },
    price(level, rng) {
      const [count, price, good] = [operand(level, rng), operand(level, rng), pick(goods, rng)];
      return {
        text: `One costs ${price} dollars. How many dollars do ${count} ${good} cost?`,
        program: [`print(${count} * ${price})`],
        answer: count * price,
      };
    },
    "left over"(level, rng) {
      const [size, good] = [between(rng, 3, level < 3 ? 9 : 40), pick(goods, rng)];
      const total = operand(level, rng) * size + rng.int(size);
      return {
        text: `Pack ${total} ${good} in boxes of ${size}. How many ${good} are left?`,
        program: [`print(${total} % ${size})`],
        answer: total % size,
      };
    },
    "range sum"(level, rng) {
      const last = operand(level, rng) + (level < 3 ? 1 : 30);
      return {
        text: `What is the sum of the whole numbers from 1 to ${last}?`,
        program: [`print(sum(range(1, ${last + 1})))`],
        answer: sumOf(1, last, (i) => i),
      };
    },
  },
  heldOut: {
    boxes(level, rng) {
      const [boxes, size, extra] = [operand(level, rng), operand(level, rng), operand(level, rng)];
      const good = pick(goods, rng);
      return {
        text: `There are ${boxes} boxes of ${size} ${good} and ${extra} more. How many ${good} are there?`,
        program: [`print(${boxes} * ${size} + ${extra})`],
        answer: boxes * size + extra,
      };
    },
  },
});
