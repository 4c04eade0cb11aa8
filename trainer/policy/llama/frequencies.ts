import type { Architecture } from "./architecture.ts";

/**
 * Angle per position of each pair of a head's coordinates, in single precision as in the models' training.
 * @returns headWidth / 2 values, the fastest first
 */
export function rotaryFrequencies({ headWidth, rotary }: Pick<Architecture, "headWidth" | "rotary">): Float32Array {
  const { base, scaling } = rotary;
  const plain = Float32Array.from({ length: headWidth / 2 }, (_, i) => 1 / Math.fround(base ** ((2 * i) / headWidth)));
  switch (scaling.kind) {
    case "default":
      return plain;
    case "linear":
      return plain.map((frequency) => frequency / scaling.factor);
    case "llama3": {
      const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalTokens } = scaling;
      return plain.map((frequency) => {
        // Rotations of the pair within the context of the original training.
        const turns = (originalTokens * frequency) / (2 * Math.PI);
        if (turns < low) return frequency / factor;
        if (turns > high) return frequency;
        const share = (turns - low) / (high - low);
        return (1 - share) * (frequency / factor) + share * frequency;
      });
    }
  }
}
