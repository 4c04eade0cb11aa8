/** Random stream, from which all random choices of a run are made. */
export type Rng = {
  /** Samples a number uniformly from [0, 1). */
  next(): number;
  /** Samples an integer uniformly from [0, n). */
  int(n: number): number;
  /** Samples from the standard normal distribution. */
  normal(): number;
};

/**
 * Returns the random stream at a path below a seed: `split(seed, "rollout", iteration, group)`. Equal paths give
 * equal streams, and different paths give independent ones. Work can therefore be reordered, resumed or run in
 * parallel without changing any sample.
 */
export function split(seed: number | string, ...path: readonly (number | string)[]): Rng {
  return makeSfc32(hash128([seed, ...path].join("/")));
}

/** Random number generator sfc32 (PractRand): 128 bits of state, fast with 32-bit integers. */
function makeSfc32([a0, b0, c0, d0]: readonly [number, number, number, number]): Rng {
  let [a, b, c, d] = [a0, b0, c0, d0];
  const uint32 = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) uint32();
  const next = (): number => (uint32() * 2 ** 21 + (uint32() >>> 11)) / 2 ** 53;
  return {
    next,
    int: (n) => Math.floor(next() * n),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

/** Hashes a text to four 32-bit words (murmur-style mixing, one lane per word). */
function hash128(text: string): [number, number, number, number] {
  const lanes: [number, number, number, number] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  const primes = [0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1] as const;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    lanes[0] = rotate(Math.imul(lanes[0] ^ code, primes[0]), 15) ^ lanes[3];
    lanes[1] = rotate(Math.imul(lanes[1] ^ code, primes[1]), 13) ^ lanes[0];
    lanes[2] = rotate(Math.imul(lanes[2] ^ code, primes[2]), 17) ^ lanes[1];
    lanes[3] = rotate(Math.imul(lanes[3] ^ code, primes[3]), 11) ^ lanes[2];
  }
  const finish = (h: number): number => {
    let x = Math.imul(h ^ (h >>> 16), 0x7feb352d);
    x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
    return (x ^ (x >>> 16) ^ text.length) | 0;
  };
  return [finish(lanes[0]), finish(lanes[1]), finish(lanes[2]), finish(lanes[3])];
}

function rotate(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}
