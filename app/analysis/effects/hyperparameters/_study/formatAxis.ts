/** Returns one format for all ticks of an axis: `plain`, or exponents if a value is so small or large that it needs one. */
export function formatAxis(values: readonly number[], plain: (x: number) => string): (x: number) => string {
  const needsExponent = values.some((x) => x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5));
  return needsExponent ? toExponent : plain;
}

function toExponent(x: number): string {
  return x === 0 ? "0" : Number(x.toPrecision(3)).toExponential().replace("e+", "e").replaceAll("-", "−");
}
