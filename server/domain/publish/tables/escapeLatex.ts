const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
  "{": "\\{",
  "}": "\\}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  // In LaTeX's default font encoding these three characters print as others.
  "|": "\\textbar{}",
  '"': "\\textquotedblright{}",
  "\u00a0": "~",
  "±": "$\\pm$",
  "×": "$\\times$",
  "·": "$\\cdot$",
  "→": "$\\rightarrow$",
  "←": "$\\leftarrow$",
  "↑": "$\\uparrow$",
  "↓": "$\\downarrow$",
  "≤": "$\\leq$",
  "≥": "$\\geq$",
  "≠": "$\\neq$",
  "≈": "$\\approx$",
  "∞": "$\\infty$",
  "∈": "$\\in$",
  "√": "$\\surd$",
  "½": "$\\frac12$",
  "²": "$^{2}$",
  "³": "$^{3}$",
  "°": "$^{\\circ}$",
  µ: "$\\mu$",
  "−": "$-$",
  "–": "--",
  "—": "---",
  "…": "\\dots{}",
  "†": "$^{\\dagger}$",
  "‡": "$^{\\ddagger}$",
  "•": "\\textbullet{}",
  "‘": "`",
  "’": "'",
  "“": "``",
  "”": "''",
};

const greek: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "α alpha",
    "β beta",
    "γ gamma",
    "δ delta",
    "ε varepsilon",
    "ζ zeta",
    "η eta",
    "θ theta",
    "ι iota",
    "κ kappa",
    "λ lambda",
    "μ mu",
    "ν nu",
    "ξ xi",
    "π pi",
    "ρ rho",
    "σ sigma",
    "τ tau",
    "υ upsilon",
    "φ varphi",
    "χ chi",
    "ψ psi",
    "ω omega",
    "Γ Gamma",
    "Δ Delta",
    "Θ Theta",
    "Λ Lambda",
    "Ξ Xi",
    "Π Pi",
    "Σ Sigma",
    "Φ Phi",
    "Ψ Psi",
    "Ω Omega",
  ].map((line) => {
    const [letter = "", name = ""] = line.split(" ");
    return [letter, `$\\${name}$`];
  }),
);

/** Accented letters that LaTeX accepts directly, and those missing from its default fonts. */
const accented = /^[À-ÖØ-öø-ÿĀ-ĎĒ-ěĜ-ģĨ-īĬ-ıĴ-ķĹ-ľŁ-ňŌ-ŢŤŨ-ž]$/;
const lacking = /^[ÐðÞþĄąĘęĮįŊŋŲųĦħ]$/;

/**
 * Escapes a plain text in one pass, since sequential replacement would escape the escapes. Characters that pdfLaTeX
 * cannot print become their code points, so that every table compiles.
 */
export function escapeLatex(text: string): string {
  const characters = Array.from(text.normalize("NFC"));
  return characters
    .map((character, i) => escapeOne(character) + (joins(character, characters[i + 1]) ? "{}" : ""))
    .join("")
    .replaceAll(/[^\S\u00a0]+/g, " ");
}

function escapeOne(character: string): string {
  const known = escapes[character] ?? greek[character];
  if (known !== undefined) return known;
  if (/^\s$/.test(character)) return " ";
  if (/^[\x20-\x7e]$/.test(character) || (accented.test(character) && !lacking.test(character))) return character;
  if (/^[\p{Cc}\p{Cf}]$/u.test(character)) return "";
  return `{\\scriptsize U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}}`;
}

/** True for two characters that LaTeX would join: a dash, a quotation mark. */
function joins(character: string, next: string | undefined): boolean {
  if (next === undefined) return false;
  return /^(?:--|''|``|,,|!`|\?`)$/.test(character + next);
}
