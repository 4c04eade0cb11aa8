import { between, countOf, operand, sumOf, listTemplates } from "../template.ts";

export const geometry = listTemplates({
  trained: {
    area(level, rng) {
      const [a, b] = [operand(level, rng), operand(level, rng)];
      return {
        text: `A rectangle has sides ${a} and ${b}. What is its area?`,
        program: [`print(${a} * ${b})`],
        answer: a * b,
      };
    },
    perimeter(level, rng) {
      const [a, b] = [operand(level, rng), operand(level, rng)];
      return {
        text: `A rectangle has sides ${a} and ${b}. What is its perimeter?`,
        program: [`print(2 * (${a} + ${b}))`],
        answer: 2 * (a + b),
      };
    },
    hypotenuse(level, rng) {
      const [a, b] = [between(rng, 2, 6 + 8 * level), between(rng, 2, 6 + 8 * level)];
      return {
        text: `A right triangle has legs ${a} and ${b}. What is the square of its longest side?`,
        program: [`print(${a} ** 2 + ${b} ** 2)`],
        answer: a * a + b * b,
      };
    },
    "lattice points"(level, rng) {
      const square = between(rng, 2, 10 * level * level);
      const side = Math.floor(Math.sqrt(square));
      return {
        text: `How many points with whole x and y have x ** 2 + y ** 2 <= ${square}?`,
        program: [`r = range(-${side}, ${side + 1})`, `print(sum(x ** 2 + y ** 2 <= ${square} for x in r for y in r))`],
        answer: sumOf(-side, side, (x) => countOf(-side, side, (y) => x * x + y * y <= square)),
      };
    },
  },
  heldOut: {
    "right triangles"(level, rng) {
      const most = between(rng, 10, 12 + 4 * level);
      const isSquare = (n: number): boolean => Math.sqrt(n) % 1 === 0 && Math.sqrt(n) <= most;
      return {
        text: `How many right triangles have whole sides up to ${most}?`,
        program: [
          `r = range(1, ${most + 1})`,
          "print(sum(a < b and a ** 2 + b ** 2 == c ** 2 for a in r for b in r for c in r))",
        ],
        answer: sumOf(1, most, (b) => countOf(1, b - 1, (a) => isSquare(a * a + b * b))),
      };
    },
    volume(level, rng) {
      const [a, b, c] = [operand(level, rng), operand(level, rng), between(rng, 2, 9)];
      return {
        text: `A block has sides ${a}, ${b} and ${c}. What is its volume?`,
        program: [`print(${a} * ${b} * ${c})`],
        answer: a * b * c,
      };
    },
  },
});
