import { AppError } from "./errors.ts";

/** Maximum depth of a message; without a limit, a message of brackets would overflow the stack. */
const maxDepth = 500;

/**
 * Encodes a value for transport between server and browser, as JSON plus Date, NaN, infinities and typed arrays.
 * `fromWire(toWire(x))` equals x for plain data, Date, non-finite numbers, Float64Array and Int32Array; −0 becomes 0.
 * Values that JSON lacks become `{ $: kind, v }`; typed arrays are base64 of little-endian bytes.
 */
export function toWire(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : { $: "number", v: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return { $: "date", v: value.getTime() };
  if (value instanceof Float64Array) return { $: "f64", v: toBase64(value) };
  if (value instanceof Int32Array) return { $: "i32", v: toBase64(value) };
  if (Array.isArray(value)) {
    // An array of finite numbers, such as the column of a chart, is not copied.
    return value.every(Number.isFinite) ? value : value.map((item) => (item === undefined ? null : toWire(item)));
  }
  const plain = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toWire(item)]));
  // Objects that contain the reserved key `$` must be escaped.
  return Object.hasOwn(plain, "$") ? { $: "plain", v: plain } : plain;
}

const shared = new WeakMap<object, unknown>();

/** Encodes a value now for all receivers of `toWireOnce`. It must not be mutated afterwards. */
export function shareOnWire<Value extends object>(value: Value): Value {
  shared.set(value, toWire(value));
  return value;
}

/** Encodes like `toWire`, but encodes a value marked by `shareOnWire` only once. */
export function toWireOnce(value: unknown): unknown {
  return (typeof value === "object" && value !== null && shared.get(value)) || toWire(value);
}

/** Decodes a message of `toWire`. Throws `bad_input` if it is nested too deeply or a typed array is invalid. */
export function fromWire(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === maxDepth) throw new AppError("bad_input", `the message is nested more than ${maxDepth} levels deep`);
  if (Array.isArray(value)) return value.map((item) => fromWire(item, depth + 1));
  if ("$" in value && "v" in value) return revive(value.$, value.v, depth);
  return readPlain(value, depth);
}

function readPlain(value: object, depth: number): unknown {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromWire(item, depth + 1)]));
}

function revive(kind: unknown, value: unknown, depth: number): unknown {
  if (kind === "plain" && typeof value === "object" && value !== null) return readPlain(value, depth);
  if (kind === "number") return Number(value);
  if (kind === "date") return new Date(Number(value));
  if (kind === "f64") return new Float64Array(bytesOf(value, 8).buffer);
  if (kind === "i32") return new Int32Array(bytesOf(value, 4).buffer);
  return { $: kind, v: value };
}

// Encodes a typed array as base64. Byte order is not converted, because every supported machine is little-endian.
function toBase64(array: Float64Array | Int32Array): string {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function bytesOf(base64: unknown, elementBytes: number): Uint8Array<ArrayBuffer> {
  const isBase64 = typeof base64 === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.length % 4 === 0;
  const bytes = isBase64 ? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) : undefined;
  if (bytes === undefined || bytes.length % elementBytes !== 0) {
    throw new AppError("bad_input", `an array of numbers in the message is no base64 of ${elementBytes} bytes each`);
  }
  return bytes;
}

export type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
