import { expect, it } from "vitest";
import { toLooks } from "./looks.ts";
import { NewPersonName, PersonName, toNameKey } from "./personName.ts";

it.each([
  ["Ａda\u00A0 Lovelace", "Ada Lovelace"],
  ["ﬁona", "fiona"],
  ["Jose\u0301", "José"],
  [" ada@example.org ", "ada@example.org"],
  ["山田 たろう", "山田 たろう"],
  ["Иван Smith", "Иван Smith"],
  ["Иван (DevOps)", "Иван (DevOps)"],
  ["Łukasz Ω", "Łukasz Ω"],
])("takes %j as %j", (given, name) => {
  expect(NewPersonName.parse(given)).toBe(name);
});

it.each([
  ["", /at least one/],
  ["a".repeat(81), /at most 80/],
  ["\u3164", /invisible/],
  ["Ada\u200B", /invisible/],
  ["A\u034Fda", /invisible/],
  ["Ada\uFE0F", /invisible/],
  ["Ada\u2800", /invisible/],
  ["Ad\u202Ea", /invisible/],
  ["Ada<b>", /"<"/],
  ["Browser", /reserved for the studio/],
  ["tоken robot", /reserved for the studio|one script/],
  ["Аda", /"Аda" has letters of Latin and Cyrillic in one word/],
  ["Αda Lovelace", /Latin and Greek/],
  ["ԱՍda", /Latin and Armenian/],
])("refuses %j", (given, message) => {
  expect(NewPersonName.safeParse(given).error?.issues[0]?.message).toMatch(message);
});

it("lets those in who have such a name from before", () => {
  expect(PersonName.parse("Аda")).toBe("Аda");
});

it.each([
  ["Soso", "Ѕоѕо"],
  ["PAYPAL", "РАУРАL"],
  ["OXO", "ΟΧΟ"],
  ["ada", "ADA"],
])("knows that %j looks like %j", (one, other) => {
  expect(toLooks(one)).toBe(toLooks(other));
});

it.each([
  ["José", "Jose"],
  ["Иван", "Ivan"],
  ["Ada", "Eda"],
])("tells %j from %j", (one, other) => {
  expect(toLooks(one)).not.toBe(toLooks(other));
  expect(toNameKey(one)).not.toBe(toNameKey(other));
});
