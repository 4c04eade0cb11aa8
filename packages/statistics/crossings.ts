import { normalUpperTail } from "./distributions.ts";

/** Density of the paths that have crossed no boundary, as points with masses; it is symmetric, so only x ≥ 0 is kept. */
type Region = { points: Float64Array; masses: Float64Array };

export type Walk = {
  /** Boundary of |motion| at each look with a given probability. */
  ends: number[];
  /** Probability that the motion first crosses ± `end` at the look after these. */
  crossNext: (end: number) => number;
};

/**
 * Follows the paths that have crossed no boundary, by numerical integration (Armitage, McPherson and Rowe, 1969).
 * @param crossed (K,) probability of having crossed a boundary up to each look, increasing
 * @param looks (K or K + 1,) information at each look, increasing: the variance of the motion
 */
export function followPaths(crossed: readonly number[], looks: readonly number[]): Walk {
  const ends: number[] = [];
  let region: Region = { points: Float64Array.of(0), masses: Float64Array.of(0.5) };
  let deviation = Math.sqrt(looks[0] ?? NaN);
  for (const [k, probability] of crossed.entries()) {
    const wanted = { probability: probability - (crossed[k - 1] ?? 0), last: ends.at(-1) ?? 0 };
    const end = findEnd(region, deviation, wanted);
    ends.push(end);
    if (k + 1 >= looks.length) break;
    const next = Math.sqrt((looks[k + 1] ?? NaN) - (looks[k] ?? NaN));
    region = advance(region, deviation, { end, smoothness: Math.min(deviation, next) });
    deviation = next;
  }
  return { ends, crossNext: (end) => crossing(region, deviation, end).tail };
}

function crossing({ points, masses }: Region, deviation: number, end: number): { tail: number; density: number } {
  let [tail, density] = [0, 0];
  for (let j = 0; j < points.length; j++) {
    const [point, mass] = [points[j] ?? NaN, 2 * (masses[j] ?? NaN)];
    const [near, far] = [(end - point) / deviation, (end + point) / deviation];
    const [atNear, atFar] = [normalDensity(near), normalDensity(far)];
    tail += mass * ((near < 0 ? 1 - atNear * millsRatio(-near) : atNear * millsRatio(near)) + atFar * millsRatio(far));
    density += (mass * (atNear + atFar)) / deviation;
  }
  return { tail, density };
}

/** Finds the end with this probability of a crossing now, by Newton's method on the logarithm, halving if it leaves. */
function findEnd(region: Region, deviation: number, { probability, last }: { probability: number; last: number }) {
  let [low, high] = [0, last + farthest * deviation];
  let end = last + 2 * deviation;
  for (let i = 0; i < 100; i++) {
    const { tail, density } = crossing(region, deviation, end);
    const step = (Math.log(tail / probability) * tail) / density;
    // Newton's next error is about the square of this step.
    if (Math.abs(step) < 1e-6 * deviation) return end + step;
    if (tail > probability) low = end;
    else high = end;
    const isInside = end + step > low && end + step < high;
    end = isInside ? end + step : (low + high) / 2;
  }
  return end;
}

/** The density after a step, by Gauss and Legendre's rule on panels about as wide as the density varies. */
function advance(
  { points, masses }: Region,
  deviation: number,
  { end, smoothness }: { end: number; smoothness: number },
): Region {
  const numPanels = Math.min(maxPanels, Math.ceil(end / (panelWidth * smoothness)));
  const half = end / numPanels / 2;
  const next = { points: new Float64Array(numPanels * numNodes), masses: new Float64Array(numPanels * numNodes) };
  for (let i = 0; i < next.points.length; i++) {
    const [panel, place] = [Math.floor(i / numNodes), i % numNodes];
    const x = half * (2 * panel + 1 + (nodes[place] ?? NaN));
    let density = 0;
    for (let j = 0; j < points.length; j++) {
      const point = points[j] ?? NaN;
      density += (masses[j] ?? NaN) * (normalDensity((x - point) / deviation) + normalDensity((x + point) / deviation));
    }
    next.points[i] = x;
    next.masses[i] = (half * (weights[place] ?? NaN) * density) / deviation;
  }
  return next;
}

function normalDensity(z: number): number {
  return z > farthest || z < -farthest ? 0 : Math.exp(-(z * z) / 2) * perRoot;
}

const perRoot = 1 / Math.sqrt(2 * Math.PI);

/** Widest panel, in standard deviations of the shorter step; with 12 nodes, p-values are exact to 1e-9. */
const panelWidth = 4;
/** Reached only where a look adds less than 3 in 100,000 of the information. */
const maxPanels = 100;
const numNodes = 12;

/** Nodes in (−1, 1) and weights of Gauss and Legendre's rule, by Newton's method (Abramowitz and Stegun 25.4.29). */
const [nodes, weights] = [new Float64Array(numNodes), new Float64Array(numNodes)];
for (let i = 0; i < numNodes; i++) {
  let node = Math.cos((Math.PI * (i + 0.75)) / (numNodes + 0.5));
  for (let step = 0; step < 10; step++) {
    let [before, value] = [1, node];
    for (let k = 2; k <= numNodes; k++) [before, value] = [value, ((2 * k - 1) * node * value - (k - 1) * before) / k];
    const slope = (numNodes * (before - node * value)) / (1 - node * node);
    node -= value / slope;
    weights[i] = 2 / ((1 - node * node) * slope * slope);
  }
  nodes[i] = node;
}

const [spacing, farthest] = [1 / 8, 38];
const ratios = Float64Array.from({ length: farthest / spacing + 1 }, (_, i) => {
  const z = i * spacing;
  return normalUpperTail(z) / normalDensity(z);
});

/** Upper tail of the normal distribution divided by its density, by Taylor's series about a stored value: M′ = zM − 1. */
function millsRatio(z: number): number {
  if (z >= farthest) return 1 / z;
  const at = Math.round(z / spacing) * spacing;
  let before = ratios[at / spacing] ?? NaN;
  let derivative = at * before - 1;
  let ratio = before;
  let power = z - at;
  for (let n = 1; n <= 8; n++) {
    ratio += power * derivative;
    const next = at * derivative + n * before;
    before = derivative;
    derivative = next;
    power *= (z - at) / (n + 1);
  }
  return ratio;
}
