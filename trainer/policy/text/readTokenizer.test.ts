import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { makeChat, type Message } from "./chat.ts";
import { readStopTokens } from "./readTokenizer.ts";
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

describe.each(["qwen", "llama", "llama2"])("the tokenizer that splits as %s", (name) => {
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

  it("has of each token the piece of the text that it is, spaces included", () => {
    const text = "Push the box up.\n\nThen stop: <action> up </action>";
    const pieces = Array.from(tokenizer.encode(text), tokenizer.piece);
    expect(pieces.length).toBeGreaterThan(8);
    // Some tokenizers add a space before a text.
    expect(pieces.join("").trimStart()).toBe(text);
  });

  it("knows which tokens control the conversation", () => {
    const controls = tokenizer.controlTokens.map(tokenizer.piece);
    expect(controls).toEqual(expect.arrayContaining([...tokenizer.stopTexts]));
    expect(controls.filter((text) => !/^<.+>$/.test(text))).toEqual([]);
    const isControl = (token: number): boolean => tokenizer.controlTokens.includes(token);
    expect(Array.from(tokenizer.encode("Push the box  up.\n\nThen <b> stop"), isControl)).not.toContain(true);
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
    const [eosText = ""] = tokenizer.stopTexts;
    expect(chat.renderAnswer("x").startsWith(eosText)).toBe(true);
    expect([...tokenizer.encode(eosText)]).toEqual([tokenizer.eosToken]);
  });
});

describe("what ends a response", () => {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-ends-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const stopTokens = (files: Readonly<Record<string, unknown>>): readonly number[] => {
    for (const name of ["config.json", "generation_config.json"]) {
      if (files[name] === undefined) rmSync(join(folder, name), { force: true });
      else writeFileSync(join(folder, name), JSON.stringify(files[name]));
    }
    return readStopTokens(folder, 9);
  };

  it.each([
    ["the tokenizer's mark alone, where nothing else says it", {}, [9]],
    ["one more", { "config.json": { eos_token_id: 3 } }, [9, 3]],
    ["a list, as Llama 3 has it", { "generation_config.json": { eos_token_id: [1, 8, 9] } }, [9, 1, 8]],
    [
      "the generation's in place of the configuration's, as transformers has it",
      { "config.json": { eos_token_id: 3 }, "generation_config.json": { eos_token_id: [9, 7] } },
      [9, 7],
    ],
    [
      "the configuration's where the generation's says nothing",
      { "config.json": { eos_token_id: 3 }, "generation_config.json": { eos_token_id: null } },
      [9, 3],
    ],
  ])("is %s", (_, files, expected) => {
    expect(stopTokens(files)).toEqual(expected);
  });

  it("is refused where it is no token, with file and field", () => {
    expect(() => stopTokens({ "config.json": { eos_token_id: [-1] } })).toThrow(/config\.json[^]*eos_token_id/);
  });
});

it("leaves every end mark out of what the environment reads, also one that no file calls special", () => {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-marks-"));
  cpSync(join(import.meta.dirname, "testing/qwen"), folder, { recursive: true });
  const plain = readTokenizer(folder);
  const [left = 0] = plain.encode("left");
  writeFileSync(join(folder, "generation_config.json"), JSON.stringify({ eos_token_id: [plain.eosToken, left] }));
  const tokenizer = readTokenizer(folder);
  expect(tokenizer.stopTexts).toEqual(["<|im_end|>", plain.piece(left)]);
  expect(tokenizer.decode([left, plain.eosToken])).toBe(plain.piece(left));
  expect(tokenizer.decode([left, left])).toBe(plain.piece(left));
  rmSync(folder, { recursive: true });
});

it("finds marks where they stood before, and names file and field where there is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-marks-"));
  cpSync(join(import.meta.dirname, "testing/qwen"), folder, { recursive: true });
  writeFileSync(join(folder, "tokenizer_config.json"), JSON.stringify({ model_max_length: 100 }));
  expect(() => readTokenizer(folder)).toThrow(/tokenizer_config\.json: eos_token is missing/);
  const mark = { content: "<|im_end|>", lstrip: false, normalized: false };
  writeFileSync(join(folder, "special_tokens_map.json"), JSON.stringify({ eos_token: mark }));
  expect(readTokenizer(folder).stopTexts).toEqual(["<|im_end|>"]);
  rmSync(folder, { recursive: true });
});

it("dates a conversation the same on every day, whichever way the template asks", () => {
  const source = "{{ date_string }}, {{ strftime_now('%A %d %B %Y %H:%M %Q%%') }}: {{ messages[0].content }}";
  const { render } = makeChat(source, {});
  expect(render([{ role: "user", content: "Go" }])).toBe("26 Jul 2024, Friday 26 July 2024 00:00 %Q%: Go");
});

it("says what is missing", () => {
  expect(() => readTokenizer("/nowhere")).toThrow("cannot read /nowhere/tokenizer_config.json");
});
