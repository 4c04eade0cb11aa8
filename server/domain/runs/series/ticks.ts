/** Returns about `count` axis ticks at multiples of 1, 2 or 5 times a power of ten; they enclose the data. */
export function linearTicks(min: number, max: number, count = 5): number[] {
  if (!(Number.isFinite(min) && Number.isFinite(max))) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size === 0) return [0, 1];
  // A range that is only rounding error counts as a single value; otherwise all ticks would have the same label.
  const span = max - min > 1e-9 * size ? max - min : size;
  const step = roundStep(span / Math.max(1, count - 1), [1.41, 3.16, 7.07]);
  const first = Math.floor(min / step + 1e-9);
  const last = Math.max(Math.ceil(max / step - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, i) => roundTo((first + i) * step, step));
}

/** Returns the ticks of an axis of iterations, at integers within the data. */
export function iterationTicks(min: number, max: number, count = 6): number[] {
  const step = Math.max(1, roundStep((max - min) / Math.max(1, count), [1, 2, 5]));
  const ticks: number[] = [];
  for (let tick = Math.ceil(min / step) * step; tick <= max; tick += step) ticks.push(Math.round(tick));
  return ticks;
}

/** Returns powers of ten, only every n-th over many decades; over at most two, also 2 and 5 times each. */
export function logTicks(min: number, max: number): number[] {
  const low = Math.floor(Math.log10(min) + 1e-9);
  const high = Math.max(Math.ceil(Math.log10(max) - 1e-9), low + 1);
  const decades = high - low;
  const inner = decades <= 2 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / 6));
  const ticks: number[] = [];
  for (let power = low; power <= high; power += every)
    for (const digit of power < high ? inner : [1]) ticks.push(Number(`${digit}e${power}`));
  return ticks;
}

/**
 * Reduces ticks at equal distances and keeps the last if possible. On a logarithmic axis, powers of ten are kept first.
 */
export function thinTicks(ticks: readonly number[], most: number, scale: "linear" | "log" = "linear"): number[] {
  if (ticks.length <= most) return [...ticks];
  const decades = ticks.filter((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9);
  if (scale === "log" && decades.length < ticks.length) return thinTicks(decades, most, scale);
  const numSteps = ticks.length - 1;
  const fitting = Array.from({ length: numSteps }, (_, i) => i + 1).filter((every) => numSteps / every + 1 < most + 1);
  const least = fitting[0] ?? numSteps;
  // The distance between labels may grow by one tick to label the last tick, but no further.
  const every = fitting.find((step) => numSteps % step === 0 && step <= least + 1) ?? least;
  const kept = ticks.filter((_, i) => i % every === 0);
  return kept.at(-1) === ticks.at(-1) || scale === "log" ? kept : (tickBothEnds(ticks, most) ?? kept);
}

/** Returns fewer ticks with the same first and last one; undefined if no regular distance has both. */
function tickBothEnds(ticks: readonly number[], most: number): number[] | undefined {
  const [first = 0, last = 0] = [ticks[0], ticks.at(-1)];
  const counts = Array.from({ length: Math.max(0, most - 1) }, (_, i) => most - i);
  return counts
    .map((count) => linearTicks(first, last, count))
    .find((found) => found.length <= most && found[0] === first && found.at(-1) === last);
}

/** Rounds to 1, 2, 5 or 10 times a power of ten. The limits are the largest digits rounded to 1, 2 and 5. */
function roundStep(rough: number, [one, two, five]: readonly [number, number, number]): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-300)));
  const digit = rough / power - 1e-4;
  return (digit <= one ? 1 : digit <= two ? 2 : digit <= five ? 5 : 10) * power;
}

/** Rounds to the digits of the tick distance: 0.30000000000000004 becomes 0.3. */
function roundTo(x: number, step: number): number {
  const digits = Math.min(100, Math.max(0, -Math.floor(Math.log10(step)) + 1));
  return Number(x.toFixed(digits));
}
