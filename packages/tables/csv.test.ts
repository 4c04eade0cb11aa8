import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { parseCsv as parseLongCsv } from "#packages/statistics/parseCsv.ts";
import { toCsvText } from "./csv.ts";

/** An independent parser of CSV by RFC 4180. */
function parseCsv(text: string): string[][] {
  return [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n))*?(?:"(?:[^"]|"")*"|[^",\r\n]*)\r\n/g)].map(
    ([line]) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g)].map(([, field = ""]) =>
        field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field,
      ),
  );
}

describe("toCsvText", () => {
  it("quotes what needs it and ends every line with CRLF", () => {
    expect(toCsvText([["a,b", 'c"d', "e\nf", "g"]])).toBe('"a,b","c""d","e\nf",g\r\n');
  });

  it("writes numbers in full and missing ones as empty fields", () => {
    expect(toCsvText([[0.1 + 0.2, -1e-9, NaN, null, Infinity]])).toBe("0.30000000000000004,-1e-9,,,Infinity\r\n");
  });

  it.each(["=1+1", "+1", "-1", "@x", "\tx"])("keeps the text %j from being a formula", (text) => {
    expect(toCsvText([[text]])).toBe(`'${text}\r\n`);
  });

  it("is read back as written, whatever the text", () => {
    const rng = split(4, "csv");
    const letters = ['"', ",", "\n", "\r\n", "a", "é", " ", "'"];
    const lines = Array.from({ length: 50 }, () =>
      Array.from(
        { length: 4 },
        () => `x${Array.from({ length: rng.int(8) }, () => letters[rng.int(8)] ?? "").join("")}`,
      ),
    );
    expect(parseCsv(toCsvText(lines))).toEqual(lines);
  });
});

it("is read back by the reader of `arlarena stats`", () => {
  const rng = split("csv");
  const letters = ["a", ",", '"', "\n", "\r\n", "=", "-", "@", "'", " ", "é", "±", "\\", "{"];
  for (let i = 0; i < 500; i++) {
    const rows = Array.from({ length: 1 + rng.int(3) }, () =>
      Array.from({ length: 2 }, () =>
        Array.from({ length: rng.int(6) }, () => letters[rng.int(letters.length)] ?? "").join(""),
      ),
    );
    // A text that begins with an apostrophe followed by a formula's first character cannot be guarded unambiguously.
    if (rows.flat().some((text) => /^'[=+\-@\t\r]/.test(text))) continue;
    expect(parseLongCsv(toCsvText(rows)).map(({ fields }) => fields)).toEqual(rows);
  }
});
