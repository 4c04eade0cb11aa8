import { describe, expect, it } from "vitest";
import { makeTokenizer } from "./tokenizer.ts";

const tokenizer = makeTokenizer(["push", "the", "box", "left", "#", "_", "up", "you", "are", ":", "up"]);

describe("the tokenizer", () => {
  it.each([
    "push the box left",
    "you are :\n# _ #\n# _ #\n",
    "<think>push the box</think><action>left</action>",
    "the box\n<think>up</think>",
    "",
    "\n\n",
  ])("brings back %j", (text) => {
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });

  it("takes tags and line breaks as single tokens, glued to words or not", () => {
    const glued = tokenizer.encode("<think>push</think><action>up</action>");
    expect(glued).toHaveLength(6);
    expect(tokenizer.encode(" <think> push </think>  <action> up </action> ")).toEqual(glued);
  });

  it("does not care how wide white space is", () => {
    expect(tokenizer.encode("push  the\tbox")).toEqual(tokenizer.encode("push the box"));
  });

  it("marks unknown words and leaves out what frames a text", () => {
    const tokens = tokenizer.encode("push the elephant");
    const { bosToken, eosToken, padToken } = tokenizer;
    expect(tokenizer.decode([bosToken, ...tokens, eosToken, padToken])).toBe("push the <unk>");
  });

  it("controls the conversation by its special tokens, without the line break", () => {
    const controls = tokenizer.controlTokens.map((token) => tokenizer.words[token]);
    expect(controls.join(" ")).toBe("<pad> <bos> <eos> <unk> <think> </think> <action> </action>");
  });

  it("counts each word once and refuses what is no word", () => {
    expect(tokenizer.vocabularySize).toBe(9 + 10);
    expect(() => makeTokenizer(["two words"])).toThrow('"two words" is not a word');
    expect(() => makeTokenizer(["a<think>"])).toThrow("is not a word");
  });
});
