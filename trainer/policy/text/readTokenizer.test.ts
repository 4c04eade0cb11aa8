import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Message } from "./chat.ts";
import { readTokenizer } from "./readTokenizer.ts";
import { stringAt } from "./testing/strings.ts";

type Expected = {
  firstIds: number[];
  numIds: number;
  checksums: string;
  decodedSame: number;
  conversations: { messages: Message[]; text: string }[];
};
const numStrings = 2000;

describe.each(["qwen", "llama"])("the tokenizer that splits as %s", (name) => {
  const folder = join(import.meta.dirname, "testing", name);
  const tokenizer = readTokenizer(folder);
  const expected: Expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
  const whole = (text: string): Int32Array => tokenizer.encode(tokenizer.startText + text);

  it("gives 2,000 strings of eleven languages and code the ids that Python gives them", () => {
    const rows = Array.from({ length: numStrings }, (_, i) => whole(stringAt(i)));
    expect([...(rows[0] ?? [])]).toEqual(expected.firstIds);
    expect(rows.reduce((total, row) => total + row.length, 0)).toBe(expected.numIds);
    const sums = new DataView(Uint8Array.from(Buffer.from(expected.checksums, "base64")).buffer);
    const differing = rows.flatMap((row, i) =>
      crc32(new Uint8Array(row.buffer)) === sums.getUint32(4 * i, true) ? [] : [`${i}: ${stringAt(i)}`],
    );
    expect(differing).toEqual([]);
  });

  it("reads its own tokens back, where Python does", () => {
    const same = Array.from({ length: numStrings }, (_, i) => tokenizer.decode(whole(stringAt(i))) === stringAt(i));
    expect(same.filter(Boolean)).toHaveLength(expected.decodedSame);
    expect(tokenizer.decode([])).toBe("");
  });

  it("lays conversations out as Python does", () => {
    for (const { messages, text } of expected.conversations) expect(tokenizer.chat?.render(messages)).toBe(text);
  });

  it("goes on with a conversation where it stopped", () => {
    const [first, assistant, answer] = expected.conversations[2]?.messages ?? [];
    const { chat } = tokenizer;
    if (!first || !assistant || !answer || !chat) throw new Error("no conversation of three messages");
    const grown = chat.render([first]) + assistant.content + chat.renderAnswer(answer.content);
    expect(grown).toBe(chat.render([first, assistant, answer]));
    expect(chat.renderAnswer("x").startsWith(tokenizer.eosText)).toBe(true);
    expect([...tokenizer.encode(tokenizer.eosText)]).toEqual([tokenizer.eosToken]);
  });
});

it("says what is missing", () => {
  expect(() => readTokenizer("/nowhere")).toThrow("cannot read /nowhere/tokenizer_config.json");
});
