/** 16-bit formats: the upper half of single precision, or IEEE 754 binary16. Both are exact in f32. */
export type HalfFormat = "bf16" | "f16";

/** Converts 16-bit floats to single precision, exactly. */
export function widenBits(bits: Uint16Array, format: HalfFormat): Float32Array<ArrayBuffer> {
  if (format === "bf16") {
    const words = new Uint32Array(bits.length);
    for (let i = 0; i < bits.length; i++) words[i] = (bits[i] ?? 0) << 16;
    return new Float32Array(words.buffer);
  }
  const floats = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) floats[i] = fromHalf(bits[i] ?? 0);
  return floats;
}

/** IEEE 754 binary16: a sign, five bits of exponent, ten of fraction. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
