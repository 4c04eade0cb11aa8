/** Returns JSON with sorted keys and no spaces. Equal values give equal texts, for hashing and comparing. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    // A loop is used because it is faster than `map` and `join`: some requests hash sweeps of thousands of cells.
    const parts: Record<string, unknown> = { ...value };
    let text = "";
    for (const key of Object.keys(parts).sort()) {
      const part = parts[key];
      if (part !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(part)}`;
    }
    return `{${text}}`;
  }
  return JSON.stringify(value);
}

/** Returns 16 hexadecimal digits that identify a value: a hash of its canonical JSON (FNV-1a), no signature. */
export function contentHash(value: unknown): string {
  return textHash(canonicalJson(value));
}

/** Makes a function like `contentHash` that caches the text of nested objects, which must not be mutated. */
export function makeContentHash(): (value: object) => string {
  const known = new WeakMap<object, string>();
  const textOf = (part: unknown): string => {
    if (typeof part !== "object" || part === null) return canonicalJson(part);
    const text = known.get(part) ?? canonicalJson(part);
    known.set(part, text);
    return text;
  };
  return (value) => {
    const parts: Record<string, unknown> = { ...value };
    const keys = Object.keys(parts).filter((key) => parts[key] !== undefined);
    const texts = keys.sort().map((key) => `${JSON.stringify(key)}:${textOf(parts[key])}`);
    return textHash(`{${texts.join(",")}}`);
  };
}

function textHash(text: string): string {
  // The 64-bit hash has two 32-bit halves. Its prime is 2⁴⁰ + 0x1b3; half · 0x1b3 is exact as a double.
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (let i = 0; i < text.length; i++) {
    low = (low ^ text.charCodeAt(i)) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, "0")).join("");
}
