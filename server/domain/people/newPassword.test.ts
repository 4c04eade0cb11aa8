import { expect, it } from "vitest";
import { isOfName, NewPassword } from "./newPassword.ts";

it.each([
  ["too short", /at least 10 characters/],
  ["x".repeat(201), /at most 200/],
  ["aaaaaaaaaa", /has 1 different characters, must have at least 5/],
  ["ＡＡＡＡＡaaaaa", /has 1 different/],
  ["abababababab", /has 2 different/],
  ["          ", /only of blanks/],
  ["\u3164".repeat(12), /only of blanks/],
  ["a\u200B".repeat(8), /has 1 different/],
  ["abcdeabcde", /repeats one piece/],
  ["1234567890", /the alphabet or the keyboard/],
  ["9876543210", /the alphabet or the keyboard/],
  ["abcdefghijkl", /the alphabet or the keyboard/],
  ["qwertyuiop", /the alphabet or the keyboard/],
  ["Password123!", /most common/],
])("refuses %j", (password, message) => {
  expect(NewPassword.safeParse(password).error?.issues[0]?.message).toMatch(message);
});

it.each([
  "correct horse battery",
  "a horse that counts to nine",
  "пароль из слов",
  "7f3Kq!2mZp",
  "密碼密碼一二三四五六七八",
])("takes %j", (password) => {
  expect(NewPassword.parse(password)).toBe(password);
});

it.each([
  ["annameier2026!", "Anna Meier", true],
  ["Meier… Anna", "Meier, Anna", true],
  ["ＡＮＮＡ-anna-anna", "anna", true],
  ["anna rides two horses", "Anna", false],
  ["1234 5678 9012", "Anna", false],
  ["2026!?2026!?", "42", false],
])("the password %j of %j is made of the name alone: %s", (password, name, expected) => {
  expect(isOfName(password, name)).toBe(expected);
});
