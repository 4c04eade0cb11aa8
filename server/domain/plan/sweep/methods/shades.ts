/**
 * Returns the CSS colour of a method at a level of an ordered field: the method's hue, with a lightness for the level.
 * Shades become lighter on dark backgrounds and darker on light ones, and all have enough contrast. The colour follows
 * the page's theme.
 * @param slot index of the hue in the palette
 * @param at 0 to 1, from the shade closest to the background's lightness to the shade with the highest contrast
 */
export function shadeOf(slot: number, at: number): string {
  const colour = palette[slot % palette.length] ?? "#7a8290";
  return remember(shadesByKey, `${colour} ${at}`, () => {
    return `light-dark(${shadeOn("light", colour, at)}, ${shadeOn("dark", colour, at)})`;
  });
}

/** Results by input: a sweep of hundreds of configurations has few colours, and each takes about a millisecond. */
const shadesByKey = new Map<string, string>();
const labsByColour = new Map<string, { light: LinearRgb; dark: LinearRgb }>();
const distinctByPair = new Map<string, boolean>();

function remember<Value>(known: Map<string, Value>, key: string, compute: () => Value): Value {
  const value = known.get(key) ?? compute();
  known.set(key, value);
  return value;
}

/** OKLCH lightness of the shade with the highest contrast, in each theme. */
const farthest: Record<Theme, number> = { light: 0.3, dark: 0.95 };

/**
 * Returns the shade of a hue at position `at` for one theme, as a hex colour.
 * @testing
 */
export function shadeOn(theme: Theme, hex: string, at: number): string {
  const colour = toOklch(hex);
  const nearest = findNearest(theme, colour);
  return fromOklch({ ...colour, lightness: nearest + at * (farthest[theme] - nearest) });
}

/** Returns the OKLCH lightness that has enough contrast with all backgrounds and is closest to theirs. */
function findNearest(theme: Theme, colour: ReturnType<typeof toOklch>): number {
  const step = theme === "light" ? -0.01 : 0.01;
  let lightness = theme === "light" ? 0.85 : 0.35;
  const isEnough = () =>
    surfaces[theme].every((surface) => contrastOf(surface, fromOklch({ ...colour, lightness })) >= minContrast);
  while (!isEnough() && lightness > 0.05 && lightness < 0.99) lightness += step;
  return lightness;
}

/** Linear-light red, green and blue, 0 to 1. */
export type LinearRgb = readonly [number, number, number];
/** Colour in the OKLCH space (Björn Ottosson, 2020): lightness from 0 to 1, chroma, hue in radians. */
type Oklch = { lightness: number; chroma: number; hue: number };

/** Converts a colour such as `#1a63d1` to linear light. */
export function toLinear(hex: string): LinearRgb {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const x = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
}

function toHex(rgb: LinearRgb): string {
  const digits = rgb.map((x) => {
    const clipped = Math.min(1, Math.max(0, x));
    const coded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
    return Math.round(255 * coded)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${digits.join("")}`;
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrastOf(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(hex: string): number {
  const [r, g, b] = toLinear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function toOklab([r, g, b]: LinearRgb): LinearRgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

export function toOklch(hex: string): Oklch {
  const [lightness, a, b] = toOklab(toLinear(hex));
  return { lightness, chroma: Math.hypot(a, b), hue: Math.atan2(b, a) };
}

/** Converts an OKLCH colour to sRGB in hex. Chroma is reduced until the colour is in the gamut at this lightness. */
export function fromOklch({ lightness, chroma, hue }: Oklch): string {
  for (let kept = 1; kept > 0; kept -= 0.02) {
    const rgb = toRgb({ lightness, chroma: chroma * kept, hue });
    if (rgb.every((x) => x >= -1e-4 && x <= 1 + 1e-4)) return toHex(rgb);
  }
  return toHex(toRgb({ lightness, chroma: 0, hue }));
}

function toRgb({ lightness, chroma, hue }: Oklch): LinearRgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/**
 * Colours of methods, the same as in `globals.css` (`--series-1` …) and in both themes, so that a method keeps its
 * colour. The test checks the criteria: a contrast of 3 on every background, and OKLab distances for normal sight and
 * the three common deficiencies. The first eight colours can be told apart at a glance, all twelve only side by side.
 */
export const palette: readonly string[] = [
  "#498ef3",
  "#f25303",
  "#297263",
  "#832bfb",
  "#8e8d6d",
  "#a03aa8",
  "#bc371b",
  "#bc67b4",
  "#9b6a8c",
  "#df51da",
  "#539723",
  "#4961d2",
];

/** Backgrounds in each theme on which methods' colours are drawn: cards and the page. */
export const surfaces = { light: ["#ffffff", "#f6f7f9"], dark: ["#161b22", "#0e1116"] } as const;
type Theme = keyof typeof surfaces;

/** Minimum contrast of methods' colours with every background (WCAG 2.2, 1.4.11). */
export const minContrast = 3;

/** Returns a colour of `shadeOf` or of the palette in both themes, as L*a*b*. */
function labsOf(color: string): { light: LinearRgb; dark: LinearRgb } {
  return remember(labsByColour, color, () => {
    const [light, dark] = color.match(/#[0-9a-f]{6}/g) ?? [];
    const hue = light ?? palette[Number(/--series-(\d+)/.exec(color)?.[1]) - 1] ?? "#7a8290";
    return { light: toLab(hue), dark: toLab(dark ?? hue) };
  });
}

/** Minimum CIEDE2000 distance of two colours that a reader tells apart in thin lines and small dots. */
const minDistance = 10;

/** True if two CSS colours can be told apart in both themes. */
export function areDistinct(a: string, b: string): boolean {
  return remember(distinctByPair, `${a} ${b}`, () => {
    const [first, second] = [labsOf(a), labsOf(b)];
    return (["light", "dark"] as const).every((theme) => ciede2000(first[theme], second[theme]) >= minDistance);
  });
}

/** Converts a colour such as `#1a63d1` to CIE L*a*b* with the white point D65. */
function toLab(hex: string): LinearRgb {
  const [r, g, b] = toLinear(hex);
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const degree = Math.PI / 180;

/**
 * Colour difference ΔE00 of two colours in L*a*b*, in the notation of Sharma, Wu and Dalal (2005), equations 2 to 22.
 * @testing
 */
export function ciede2000([l1, a1, b1]: LinearRgb, [l2, a2, b2]: LinearRgb): number {
  const damping = (c: number) => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const g = 0.5 * (1 - damping((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [ap1, ap2] = [(1 + g) * a1, (1 + g) * a2];
  const [c1, c2] = [Math.hypot(ap1, b1), Math.hypot(ap2, b2)];
  const hueOf = (a: number, b: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / degree + 360) % 360);
  const [h1, h2] = [hueOf(ap1, b1), hueOf(ap2, b2)];
  const isGrey = c1 * c2 === 0;
  const turn = h2 - h1 > 180 ? h2 - h1 - 360 : h2 - h1 < -180 ? h2 - h1 + 360 : h2 - h1;
  const dH = isGrey ? 0 : 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * degree);
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const half = Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2;
  const h = isGrey ? h1 + h2 : half;
  const cos = (x: number) => Math.cos(x * degree);
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const sL = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sC, sH] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rT = -2 * damping(c) * Math.sin(60 * degree * Math.exp(-(((h - 275) / 25) ** 2)));
  const [dL, dC, dHs] = [(l2 - l1) / sL, (c2 - c1) / sC, dH / sH];
  return Math.sqrt(dL ** 2 + dC ** 2 + dHs ** 2 + rT * dC * dHs);
}
