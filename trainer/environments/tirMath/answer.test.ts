import { describe, expect, it } from "vitest";
import { findBoxed, isRight } from "./answer.ts";

describe("the last box", () => {
  it.each([
    ["so \\boxed{42}", "42"],
    ["\\boxed{1} or \\boxed{2}", "2"],
    ["\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"],
    ["\\boxed{", undefined],
    ["\\boxed 5", undefined],
    ["no box", undefined],
  ])("%s", (text, boxed) => expect(findBoxed(text)).toBe(boxed));
});

describe("an answer is right", () => {
  it.each([
    ["42", "42"],
    [" 42 ", "42"],
    ["042", "42"],
    ["+42", "42"],
    ["42.0", "42"],
    ["42.", "42"],
    ["x = 42", "42"],
    ["$42$", "42"],
    ["42\\%", "42"],
    ["42^\\circ", "42"],
    ["42\\text{ cm}", "42"],
    ["1,234,567", "1234567"],
    ["\\frac{84}{2}", "42"],
    ["\\dfrac{-1}{2}", "-0.5"],
    ["-\\frac{1}{2}", "-1/2"],
    ["\\frac12", "0.5"],
    ["3/4", "0.75"],
    ["2\\sqrt{3}", "\\sqrt{12}"],
    ["-\\sqrt{8}", "-2\\sqrt{2}"],
    ["\\sqrt{16}", "4"],
    ["99999999999999999999", "99999999999999999999"],
    ["(1,2)", "(1, 2)"],
    ["-0", "0"],
  ])("%s is %s", (answer, truth) => expect(isRight(answer, truth)).toBe(true));

  it.each([
    ["41", "42"],
    ["-42", "42"],
    ["4 2 x", "42"],
    ["", "42"],
    ["42/0", "42"],
    ["1,23", "123"],
    ["0.33", "1/3"],
    ["99999999999999999998", "99999999999999999999"],
    ["\\sqrt{3}", "3"],
    ["42".repeat(1000), "42"],
    ["__proto__", "42"],
  ])("%s is not %s", (answer, truth) => expect(isRight(answer, truth)).toBe(false));
});
