import { between, operand, pick, sumOf, type Family } from "../template.ts";

const goods = ["pens", "books", "apples", "cards"] as const;

export const prealgebra: Family = {
  slug: "prealgebra",
  templates: [
    {
      name: "expression",
      isHeldOut: false,
      make(level, rng) {
        const [a, b, c] = [operand(level, rng), operand(level, rng), operand(level, rng)];
        const expression = pick(rng, [`${a} + ${b} * ${c}`, `${a} * ${b} + ${c}`, `${a} * ${b} - ${c}`]);
        const values: Readonly<Record<string, number>> = {
          [`${a} + ${b} * ${c}`]: a + b * c,
          [`${a} * ${b} + ${c}`]: a * b + c,
          [`${a} * ${b} - ${c}`]: a * b - c,
        };
        return {
          text: `Compute ${expression}.`,
          program: [`print(${expression})`],
          answer: values[expression] ?? 0,
        };
      },
    },
    {
      name: "percent",
      isHeldOut: false,
      make(level, rng) {
        const rate = between(rng, 1, level < 3 ? 9 : 19) * 5;
        const whole = operand(level, rng) * 20;
        return {
          text: `What is ${rate} percent of ${whole}?`,
          program: [`print(${whole} * ${rate} // 100)`],
          answer: (whole * rate) / 100,
        };
      },
    },
    {
      name: "price",
      isHeldOut: false,
      make(level, rng) {
        const [count, price, good] = [operand(level, rng), operand(level, rng), pick(rng, goods)];
        return {
          text: `One costs ${price} dollars. How many dollars do ${count} ${good} cost?`,
          program: [`print(${count} * ${price})`],
          answer: count * price,
        };
      },
    },
    {
      name: "left over",
      isHeldOut: false,
      make(level, rng) {
        const [size, good] = [between(rng, 3, level < 3 ? 9 : 40), pick(rng, goods)];
        const total = operand(level, rng) * size + rng.int(size);
        return {
          text: `Pack ${total} ${good} in boxes of ${size}. How many ${good} are left?`,
          program: [`print(${total} % ${size})`],
          answer: total % size,
        };
      },
    },
    {
      name: "range sum",
      isHeldOut: false,
      make(level, rng) {
        const last = operand(level, rng) + (level < 3 ? 1 : 30);
        return {
          text: `What is the sum of the whole numbers from 1 to ${last}?`,
          program: [`print(sum(range(1, ${last + 1})))`],
          answer: sumOf(1, last, (i) => i),
        };
      },
    },
    {
      name: "boxes",
      isHeldOut: true,
      make(level, rng) {
        const [boxes, size, extra] = [operand(level, rng), operand(level, rng), operand(level, rng)];
        const good = pick(rng, goods);
        return {
          text: `There are ${boxes} boxes of ${size} ${good} and ${extra} more. How many ${good} are there?`,
          program: [`print(${boxes} * ${size} + ${extra})`],
          answer: boxes * size + extra,
        };
      },
    },
  ],
};
