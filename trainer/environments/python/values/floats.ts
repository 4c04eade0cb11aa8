/** Python's repr of a float: the fewest digits that read back, an exponent below 1e-4 and from 1e16. */
export function floatToText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) return `${mantissa}e${formatExponent(exponent)}`;
  const plain = value.toString();
  if (!plain.includes("e")) return plain.includes(".") ? plain : `${plain}.0`;
  const [sign, digits] = mantissa.startsWith("-") ? ["-", mantissa.slice(1)] : ["", mantissa];
  return `${sign}0.${"0".repeat(-exponent - 1)}${digits.replace(".", "")}`;
}

/** At least two digits, with a sign. */
export function formatExponent(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A finite float as an exact fraction. */
export function toRatio(value: number): { numerator: bigint; denominator: bigint } {
  let [mantissa, exponent] = [value, 0];
  while (!Number.isInteger(mantissa)) [mantissa, exponent] = [mantissa * 2, exponent + 1];
  return { numerator: BigInt(mantissa), denominator: 1n << BigInt(exponent) };
}

/** numerator / denominator to the nearest whole number, ties to even. */
export function roundRatio(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n;
  const size = negative ? -numerator : numerator;
  let quotient = size / denominator;
  const twice = (size % denominator) * 2n;
  if (twice > denominator || (twice === denominator && (quotient & 1n) === 1n)) quotient += 1n;
  return negative ? -quotient : quotient;
}

/** `%.nf`: so many digits after the point, the exact value rounded half to even. */
export function toFixedExact(value: number, digits: number): string {
  const { numerator, denominator } = toRatio(Math.abs(value));
  const scaled = roundRatio(numerator * 10n ** BigInt(digits), denominator)
    .toString()
    .padStart(digits + 1, "0");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (digits === 0) return sign + scaled;
  return `${sign}${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`;
}

/** The first digits of a value and its decimal exponent: 0.d₀d₁d₂… is d₀.d₁d₂… · 10 ** exponent. */
export function toDigits(value: number, numDigits: number): { digits: string; exponent: number } {
  if (value === 0) return { digits: "0".repeat(numDigits), exponent: 0 };
  const { numerator, denominator } = toRatio(Math.abs(value));
  let exponent = Number(value.toExponential(0).split("e")[1] ?? "0");
  for (let guess = exponent - 1; ; guess++) {
    const shift = numDigits - 1 - guess;
    const [top, bottom] =
      shift >= 0 ? [numerator * 10n ** BigInt(shift), denominator] : [numerator, denominator * 10n ** BigInt(-shift)];
    const digits = roundRatio(top, bottom).toString();
    exponent = guess;
    if (digits.length === numDigits) return { digits, exponent };
  }
}

/** The nearest whole number, ties to even. The value is finite. */
export function roundHalfEven(value: number): bigint {
  const { numerator, denominator } = toRatio(value);
  return roundRatio(numerator, denominator);
}
