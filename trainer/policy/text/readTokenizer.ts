import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { makeChat, type Chat } from "./chat.ts";

export type TextTokenizer = {
  /** Token that ends a message in the chat format. */
  readonly eosToken: number;
  /** Tokens that end the model's response; `eosToken` is the first in the list. */
  readonly stopTokens: readonly number[];
  /** Added tokens that are special or in angle brackets, such as `<tool_call>`, and the stop tokens. */
  readonly controlTokens: readonly number[];
  readonly stopTexts: readonly string[];
  /** Largest token id plus one. */
  readonly numTokens: number;
  /** Encodes a text. Special tokens in the text are recognised, but none are added. */
  readonly encode: (text: string) => Int32Array;
  /** Text that the tokenizer puts before a prompt without a chat template, such as `<s>`; often empty. */
  readonly startText: string;
  /** Decodes tokens to text without special tokens. */
  readonly decode: (tokens: Iterable<number>) => string;
  /** Decodes tokens to text, special tokens included. */
  readonly transcribe: (tokens: Iterable<number>) => string;
  /** Decodes one token by itself, special or not. Bytes of an incomplete character become a replacement character. */
  readonly piece: (token: number) => string;
  readonly chat: Chat | undefined;
};

/** Text of a special token, stored as a string or as an object with the string. */
const Mark = z.union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)]).nullish();
const TokenizerConfig = z.looseObject({
  bos_token: Mark,
  eos_token: Mark,
  pad_token: Mark,
  unk_token: Mark,
  chat_template: z
    .union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))])
    .nullish()
    .transform((template) =>
      Array.isArray(template) ? template.find(({ name }) => name === "default")?.template : template,
    ),
});

/** Reads a model's tokenizer: `tokenizer.json`, `tokenizer_config.json` and, if present, `chat_template.jinja`. */
export function readTokenizer(folder: string): TextTokenizer {
  const path = join(folder, "tokenizer.json");
  const configPath = join(folder, "tokenizer_config.json");
  const parsed = TokenizerConfig.safeParse({ ...readMarks(folder), ...readObject(configPath) });
  if (!parsed.success) throw new Error(`${configPath} cannot be read\n${z.prettifyError(parsed.error)}`);
  const config = parsed.data;
  const tokenizer = open(path, config);
  const eos = config.eos_token ?? undefined;
  const eosToken = eos === undefined ? undefined : tokenizer.token_to_id(eos);
  if (eosToken === undefined) {
    throw new Error(`${configPath}: eos_token is ${eos ?? "missing"}, which is not a token of ${path}`);
  }
  const marks = {
    bos_token: config.bos_token,
    eos_token: eos,
    pad_token: config.pad_token,
    unk_token: config.unk_token,
  };
  const template = config.chat_template ?? readTemplate(folder);
  const numTokens = 1 + [...tokenizer.get_vocab(true).values()].reduce((most, token) => Math.max(most, token), -1);
  const stopTokens = readStopTokens(folder, eosToken);
  // A token is decoded after another one, because some decoders remove the leading space at the start of a text.
  const before = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const start = decodeAll(tokenizer, before, { clean_up_tokenization_spaces: false });
  const piece = (token: number): string =>
    decodeAll(tokenizer, [...before, token], { clean_up_tokenization_spaces: false }).slice(start.length);
  return {
    eosToken,
    stopTokens,
    controlTokens: [...new Set([...readAdded(path), ...stopTokens])],
    stopTexts: stopTokens.map(piece),
    numTokens,
    encode: (text) => Int32Array.from(tokenizer.encode(text, { add_special_tokens: false }).ids),
    startText: tokenizer.encode("").tokens.join(""),
    decode: (tokens) =>
      decodeAll(tokenizer, withoutEnd([...tokens], stopTokens), {
        skip_special_tokens: true,
        clean_up_tokenization_spaces: false,
      }),
    transcribe: (tokens) => decodeAll(tokenizer, [...tokens], { clean_up_tokenization_spaces: false }),
    piece,
    chat: template === undefined ? undefined : makeChat(template, marks),
  };
}

function open(path: string, config: object): Tokenizer {
  try {
    return new Tokenizer(z.looseObject({ model: z.looseObject({}) }).parse(readJson(path)), config);
  } catch (error) {
    throw new Error(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const Added = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.int().min(0), content: z.string(), special: z.boolean() })).default([]),
});

/** Returns the added tokens that control the conversation. Others stand for text, such as several spaces. */
function readAdded(path: string): number[] {
  const parsed = Added.safeParse(readJson(path));
  if (!parsed.success) throw new Error(`${path} cannot be read\n${z.prettifyError(parsed.error)}`);
  const control = parsed.data.added_tokens.filter(({ content, special }) => special || /^<[^<>]+>$/.test(content));
  return control.map(({ id }) => id);
}

/** Removes a final stop token, which a tokenizer file may not mark as special, so that it would be decoded. */
function withoutEnd(tokens: number[], stopTokens: readonly number[]): number[] {
  const last = tokens.at(-1);
  return last !== undefined && stopTokens.includes(last) ? tokens.slice(0, -1) : tokens;
}

/** Decodes tokens; an empty list, which the library rejects, becomes an empty text. */
function decodeAll(tokenizer: Tokenizer, tokens: number[], options: Parameters<Tokenizer["decode"]>[1]): string {
  return tokens.length === 0 ? "" : tokenizer.decode(tokens, options);
}

/** Reads the special tokens from `special_tokens_map.json`, where older models store them. */
function readMarks(folder: string): object {
  const path = join(folder, "special_tokens_map.json");
  return existsSync(path) ? readObject(path) : {};
}

function readObject(path: string): object {
  const result = z.looseObject({}).safeParse(readJson(path));
  if (!result.success) throw new Error(`${path} cannot be read\n${z.prettifyError(result.error)}`);
  return result.data;
}

/** Reads the chat template from `chat_template.jinja`, where transformers stores it since version 5. */
function readTemplate(folder: string): string | undefined {
  const path = join(folder, "chat_template.jinja");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const token = z.int().min(0);
const Ends = z.looseObject({ eos_token_id: z.union([token, z.array(token)]).nullish() });

/** Returns stop tokens, `eosToken` first. As in transformers, `generation_config.json`'s replace `config.json`'s. */
export function readStopTokens(folder: string, eosToken: number): readonly number[] {
  const generation = readEnds(join(folder, "generation_config.json"));
  return [...new Set([eosToken, ...(generation ?? readEnds(join(folder, "config.json")) ?? [])])];
}

function readEnds(path: string): readonly number[] | undefined {
  if (!existsSync(path)) return undefined;
  const result = Ends.safeParse(readJson(path));
  if (!result.success) throw new Error(`${path} cannot be read\n${z.prettifyError(result.error)}`);
  const { eos_token_id: ends } = result.data;
  return typeof ends === "number" ? [ends] : (ends ?? undefined);
}
