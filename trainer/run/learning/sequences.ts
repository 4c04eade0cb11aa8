import type { RolloutShape } from "#trainer/spec/run.ts";
import type { TokenRow } from "./batch.ts";

/** Training rows: one per turn (`windowed`), or one with all turns (`transcript`). */
export function toSequences<Turn>(turns: readonly Turn[], shape: RolloutShape): Turn[][] {
  return shape === "windowed" ? turns.map((turn) => [turn]) : [[...turns]];
}

/** The first turn's prompt is the row's; later prompts become feedback. */
export function toTokenRow(turns: readonly TokenRow[]): TokenRow {
  const [first, ...later] = turns;
  if (!first) throw new RangeError("a row needs at least one turn");
  if (later.length === 0) return { prompt: first.prompt, response: first.response };
  let at = first.response.length;
  const feedback = later.map(({ prompt, response }) => {
    const read = { at, tokens: prompt };
    at += response.length;
    return read;
  });
  return { prompt: first.prompt, response: concatenate(turns.map(({ response }) => response)), feedback };
}

/** Splits the values of a row's response tokens into one array per turn. */
export function cutByTurn(values: Float32Array, turns: readonly TokenRow[]): Float32Array[] {
  let from = 0;
  return turns.map(({ response }) => values.subarray(from, (from += response.length)));
}

export function concatenate(parts: readonly Int32Array[]): Int32Array<ArrayBuffer> {
  const whole = new Int32Array(parts.reduce((length, part) => length + part.length, 0));
  let from = 0;
  for (const part of parts) {
    whole.set(part, from);
    from += part.length;
  }
  return whole;
}
