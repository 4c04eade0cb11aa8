/**
 * How values travel between server and browser: JSON, which knows neither dates nor NaN nor typed arrays.
 * `fromWire(toWire(x))` equals x for plain data, Date, non-finite numbers, Float64Array and Int32Array.
 * Such values become `{ $: kind, v }`; typed arrays are base64 of little-endian bytes, smaller and exact.
 */
export function toWire(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : { $: "number", v: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return { $: "date", v: value.getTime() };
  if (value instanceof Float64Array) return { $: "f64", v: toBase64(value) };
  if (value instanceof Int32Array) return { $: "i32", v: toBase64(value) };
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : toWire(item)));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toWire(item)]));
}

export function fromWire(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromWire);
  if ("$" in value && "v" in value) return revive(value.$, value.v);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromWire(item)]));
}

function revive(kind: unknown, value: unknown): unknown {
  if (kind === "number") return Number(value);
  if (kind === "date") return new Date(Number(value));
  if (kind === "f64") return new Float64Array(bytesOf(String(value)).buffer);
  if (kind === "i32") return new Int32Array(bytesOf(String(value)).buffer);
  return { $: kind, v: value };
}

// Every machine this runs on is little-endian.
function toBase64(array: Float64Array | Int32Array): string {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
