export type Decoded = { text: string; notes: readonly string[] };

/** Maximum fraction of replaced characters at which a file still counts as text. */
const maxReplacedFraction = 0.1;

/**
 * Decodes a file's bytes: UTF-8, or UTF-16 by its byte-order mark or its zero bytes. Invalid bytes become �, as does
 * a sequence of NUL bytes that a full disk or a truncation left; both are noted. Undefined if the file is not text.
 */
export function decodeText(bytes: Uint8Array): Decoded | undefined {
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  const numInvalid = encoding === "utf-8" && isValid(bytes) ? 0 : count(text, "�") - countWritten(bytes, encoding);
  if (numInvalid > maxReplacedFraction * text.length) return undefined;
  const first = numInvalid > 0 ? text.indexOf("�") : -1;
  // A character that is cut off at the end is part of a cut-off line, which is reported separately.
  const isCutAtEnd = numInvalid === 1 && first === text.length - 1;
  const notes = [
    ...(encoding === "utf-8" ? [] : [`read as ${encoding.toUpperCase()}`]),
    ...(numInvalid > 0 && !isCutAtEnd ? [sayInvalid(numInvalid, encoding, lineAt(text, first))] : []),
  ];
  if (!text.includes("\0")) return { text, notes };
  const numNul = count(text, "\0");
  const line = lineAt(text, text.indexOf("\0"));
  const plural = numNul === 1 ? "1 NUL byte was" : `${numNul.toLocaleString("en-US")} NUL bytes were`;
  return { text: text.replaceAll(/\0+/g, "�"), notes: [...notes, `${plural} left out, the first in line ${line}`] };
}

function sayInvalid(number: number, encoding: string, line: number): string {
  const plural = number === 1 ? "1 character is" : `${number.toLocaleString("en-US")} characters are`;
  return `${plural} not valid ${encoding.toUpperCase()} and shown as �, the first in line ${line}`;
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be";

function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  // Without a byte-order mark, UTF-16 is recognised by its zero bytes: in Latin letters, every second byte is zero.
  const start = bytes.subarray(0, 512 & ~1);
  const zeros = [0, 0];
  for (let i = 0; i < start.length; i++) if (start[i] === 0) zeros[i & 1] = (zeros[i & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = 0.4 * start.length;
  if (start.length >= 16 && odd >= many && even === 0) return "utf-16le";
  return start.length >= 16 && even >= many && odd === 0 ? "utf-16be" : "utf-8";
}

function isValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Counts the � characters that the file itself contains, as opposed to those that decoding inserted. */
function countWritten(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding !== "utf-8") return 0;
  let number = 0;
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) number += 1;
  }
  return number;
}

function count(text: string, wanted: string): number {
  let number = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) number += 1;
  return number;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split(/\r\n|\n|\r/).length;
}
