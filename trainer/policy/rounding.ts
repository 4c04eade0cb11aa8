import type { SamplerPrecision } from "#trainer/spec/sampler.ts";
import type { PolicyConfig } from "./config.ts";
import { parameterShapes, type Parameters } from "./parameters.ts";

/** Rounds to the sampler's stored precision, except embeddings; computes in f32. Unrounded arrays are not copied. */
export function roundParameters(parameters: Parameters, config: PolicyConfig, precision: SamplerPrecision): Parameters {
  if (precision === "float32") return parameters;
  const shapes = parameterShapes(config);
  return Object.fromEntries(
    Object.entries(parameters).map(([name, values]) => {
      const columns = name.startsWith("layer") ? shapes[name]?.[1] : undefined;
      return [name, columns === undefined ? values : roundMatrix(values, precision, (at) => at % columns)];
    }),
  );
}

/** Rounds a matrix. `fp8-e4m3` and `int8` have one scale per output channel; `channelOf` returns a value's channel. */
export function roundMatrix(
  values: Float32Array,
  precision: Exclude<SamplerPrecision, "float32">,
  channelOf: (at: number) => number,
): Float32Array<ArrayBuffer> {
  switch (precision) {
    case "bf16":
      return toBfloat16(values);
    case "fp8-e4m3":
      return scaled(values, { channelOf, largest: largestE4m3, round: toE4m3 });
    case "fp8-e4m3-tensor":
      return scaled(values, { channelOf: () => 0, largest: largestE4m3, round: toE4m3 });
    case "int8":
      return scaled(values, { channelOf, largest: largestInt8, round: toInt8 });
  }
}

/** Largest finite value of the 8-bit float format e4m3fn, 1.75 · 2⁸ (OCP OFP8 specification). */
const largestE4m3 = 448;
/** Largest value of symmetric int8: −128 is unused. */
const largestInt8 = 127;

type Scaling = { channelOf: (at: number) => number; largest: number; round: (x: number) => number };

/** Rounds each weight w to s·round(w/s) in single precision, with the channel's scale s = max|w| / `largest`. */
function scaled(values: Float32Array, { channelOf, largest, round }: Scaling): Float32Array<ArrayBuffer> {
  const most: number[] = [];
  for (let at = 0; at < values.length; at++) {
    const channel = channelOf(at);
    most[channel] = Math.max(most[channel] ?? 0, Math.abs(values[at] ?? 0));
  }
  const scales = Float32Array.from(most, (x) => (x === 0 ? 1 : x / largest));
  const rounded = new Float32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const scale = scales[channelOf(at)] ?? 1;
    rounded[at] = scale * round(Math.fround((values[at] ?? 0) / scale));
  }
  return rounded;
}

/** Rounds to bfloat16, to nearest with ties to even: only the upper 16 bits of each value remain. */
export function toBfloat16(values: Float32Array): Float32Array<ArrayBuffer> {
  const rounded = Float32Array.from(values);
  const bits = new Uint32Array(rounded.buffer);
  for (let at = 0; at < bits.length; at++) {
    const word = bits[at] ?? 0;
    // A NaN is kept: rounding up could turn it into an infinity.
    if (!Number.isNaN(rounded[at])) bits[at] = (word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000;
  }
  return rounded;
}

/**
 * Rounds to the nearest value of the 8-bit float format e4m3fn, ties to even. The format's smallest normal value is
 * 2⁻⁶, its smallest subnormal value 2⁻⁹. Larger values than the format's largest become its largest.
 */
export function toE4m3(x: number): number {
  const size = Math.abs(x);
  if (size === 0 || Number.isNaN(x)) return x;
  const step = 2 ** (Math.max(exponentOf(size), -6) - 3);
  return Math.sign(x) * Math.min(halfToEven(size / step) * step, largestE4m3);
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** Computes ⌊log₂ x⌋ of a normal single-precision number, exactly. */
function exponentOf(x: number): number {
  float[0] = x;
  return (((word[0] ?? 0) >>> 23) & 0xff) - 127;
}

function toInt8(x: number): number {
  return Math.max(-largestInt8, Math.min(largestInt8, Math.sign(x) * halfToEven(Math.abs(x))));
}

/** Rounds x ≥ 0 to the nearest integer, ties to even. */
function halfToEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}
