import { expect, it } from "vitest";
import { isOfName, NewPassword } from "./newPassword.ts";

it.each([
  ["too short", /at least 10 characters/],
  ["x".repeat(201), /at most 200/],
  ["aaaaaaaaaa", /at least 5 different characters, this one has 1/],
  ["ＡＡＡＡＡaaaaa", /this one has 1/],
  ["abababababab", /this one has 2/],
  ["          ", /blanks alone/],
  ["\u3164".repeat(12), /blanks alone/],
  ["a\u200B".repeat(8), /this one has 1/],
  ["abcdeabcde", /repeats one piece/],
  ["1234567890", /the alphabet or the keyboard/],
  ["9876543210", /the alphabet or the keyboard/],
  ["abcdefghijkl", /the alphabet or the keyboard/],
  ["qwertyuiop", /the alphabet or the keyboard/],
  ["Password123!", /first that are tried/],
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
