import * as fc from "fast-check";
import { expect, it } from "vitest";
import { makeRedactor, secretValues } from "./redactor.ts";

const values = secretValues({
  PATH: "/usr/bin",
  WANDB_API_KEY: "abc1abc2",
  HF_TOKEN: "hf_größe",
  MINE: "plain-name",
  ARLARENA_SECRETS: "MINE",
  API_KEY: "x",
  HF_TOKEN_PATH: "/home/ada/token",
});

it("knows secrets by their names and by what a plan named", () => {
  expect(values.toSorted()).toEqual(["abc1abc2", "hf_größe", "plain-name"]);
});

it("takes secrets out of output, however it is cut, and nothing else", () => {
  const part = fc.oneof(fc.constantFrom("abc1abc2", "hf_größe", "plain-name", "abc1", "hf_"), fc.string());
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(20)), (parts, cuts) => {
      const redactor = makeRedactor(values);
      let rest = Buffer.from(parts.join(""), "utf8");
      const shown: Buffer[] = [];
      for (const cut of cuts) {
        shown.push(redactor.push(rest.subarray(0, cut)));
        rest = rest.subarray(cut);
      }
      shown.push(redactor.push(rest), redactor.end());
      const whole = makeRedactor(values);
      const once = Buffer.concat([whole.push(Buffer.from(parts.join(""), "utf8")), whole.end()]).toString();
      expect(Buffer.concat(shown).toString()).toBe(once);
      for (const value of values) expect(once).not.toContain(value);
      expect(once.replaceAll("***", "")).toBe(
        values.reduce((text, value) => text.replaceAll(value, "***"), parts.join("")).replaceAll("***", ""),
      );
    }),
  );
});
