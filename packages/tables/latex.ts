import { columnGroups, isTextColumn, makeCellWriter, markBest } from "./cellParts.ts";
import { type Column, listRunIds, type Row, type Table } from "./table.ts";

/** Formats LaTeX with booktabs rules. A comment at the top lists required packages. */
export function toLatex(table: Table): string {
  const { columns, rows, notes, footnotes = [] } = table;
  const name = table.isWide === true ? "table*" : "table";
  const alignment = columns.map((_, c) => (isTextColumn(rows, c) ? "l" : "r")).join("");
  return [
    ...comments(table),
    `\\begin{${name}}[t]`,
    `\\centering${sizeFor(columns.length)}`,
    `\\caption{${escapeLatex(table.caption)}}`,
    `\\label{tab:${table.label.replaceAll(/[^A-Za-z0-9]+/g, "-")}}`,
    `\\begin{tabular}{${alignment}}`,
    "\\toprule",
    ...formatGroups(columns),
    `${columns.map((column) => formatHeader(column, columns)).join(" & ")} \\\\`,
    "\\midrule",
    ...formatRows(table),
    "\\bottomrule",
    "\\end{tabular}",
    ...footnotes.map(({ mark, text }) => `\\par\\smallskip{\\footnotesize $^{${mark}}$ ${escapeLatex(text)}}`),
    ...notes.map((note) => `\\par\\smallskip{\\footnotesize ${escapeLatex(note)}}`),
    `\\end{${name}}`,
    "",
  ].join("\n");
}

/** Font size and spacing shrink with many columns. */
function sizeFor(numColumns: number): string {
  if (numColumns <= 8) return "\\small";
  return numColumns <= 11 ? "\\small\\setlength{\\tabcolsep}{3.5pt}" : "\\scriptsize\\setlength{\\tabcolsep}{2pt}";
}

function formatRows(table: Table): string[] {
  const { columns, rows } = table;
  const marks = markBest(table);
  return rows.flatMap((row, r) => {
    const before = rows[r - 1];
    const heads = row.heading !== undefined && row.heading !== before?.heading ? row.heading : undefined;
    const needsRule = before !== undefined && row.heading !== before.heading;
    const plain = columns.map((column, c) => formatCell(row.cells[c], column, marks[r]?.[c] ?? "none"));
    const cells = row.isReference === true ? plain.map((cell) => (cell === "" ? "" : `\\textit{${cell}}`)) : plain;
    return [
      ...(needsRule ? ["\\midrule"] : []),
      ...(heads === undefined ? [] : [`\\multicolumn{${columns.length}}{l}{\\textit{${escapeLatex(heads)}}} \\\\`]),
      `${startOf(row)}${guardStart(cells.join(" & "))} \\\\`,
    ];
  });
}

function startOf({ isOurs, isChange }: Row): string {
  return (isOurs === true ? "\\rowcolor{gray!12} " : "") + (isChange === true ? "\\quad " : "");
}

/** LaTeX parses a bracket or an asterisk after a line end or a rule as an argument. */
function guardStart(line: string): string {
  return /^\s*[[*]/.test(line) ? `{}${line}` : line;
}

function formatGroups(columns: readonly Column[]): string[] {
  const groups = columnGroups(columns);
  if (groups.length === 0) return [];
  const heads = groups.map(({ name, from, span }) => {
    const arrow = name === "" ? "" : arrows[sharedDirection(columns.slice(from, from + span))];
    return `\\multicolumn{${span}}{c}{${escapeLatex(name)}${arrow}}`;
  });
  const rules = groups
    .filter(({ name }) => name !== "")
    .map(({ from, span }) => `\\cmidrule(lr){${from + 1}-${from + span}}`);
  return [`${heads.join(" & ")} \\\\`, rules.join("")];
}

const arrows = { up: " $\\uparrow$", down: " $\\downarrow$", none: "" } as const;

/** Returns the better direction that all columns share; `none` if they differ. */
function sharedDirection(columns: readonly Column[]): Column["better"] {
  const directions = new Set(columns.map(({ better }) => better));
  return directions.size === 1 ? (columns[0]?.better ?? "none") : "none";
}

function formatHeader(column: Column, columns: readonly Column[]): string {
  const { header, unit, better, group } = column;
  const siblings = columns.filter((other) => group !== undefined && other.group === group);
  const arrow = siblings.length > 0 && sharedDirection(siblings) !== "none" ? "" : arrows[better];
  return escapeLatex(header) + (unit ? ` (${escapeLatex(unit)})` : "") + arrow;
}

const formatCell = makeCellWriter({
  nan: "\\textsc{nan}",
  none: "--",
  percent: "\\%",
  text: ({ text, latex }) => latex ?? escapeLatex(text),
  number: (text) => (/[a-z]/.test(text) ? `\\textsc{${minus(text)}}` : minus(text).replace("<", "$<$")),
  change: minus,
  spread: (text, isPlusMinus) => (isPlusMinus ? `{\\scriptsize$\\pm$${text}}` : ` {\\scriptsize ${minus(text)}}`),
  stars: (stars) => stars.replaceAll("*", "{*}"),
  dagger: (numCollapsed) => `\\dagger ${numCollapsed}`,
  superscript: (signs) => `$^{${signs}}$`,
  aside: (text) => ` {\\scriptsize (${formatChange(text)})}`,
  best: (text) => `\\textbf{${text}}`,
  second: (text) => `\\underline{${text}}`,
});

function formatChange(text: string): string {
  return text.replace("↑", "$\\uparrow$").replace("↓", "$\\downarrow$").replace(" %", "\\,\\%");
}

function minus(text: string): string {
  return text.replaceAll("-", "$-$");
}

function comments({ provenance, rows }: Table): string[] {
  const packages = ["booktabs", ...(rows.some(({ isOurs }) => isOurs === true) ? ["xcolor", "colortbl"] : [])];
  return [
    `Sweep: ${provenance.sweepName}`,
    ...(provenance.planHash ? [`Plan: ${provenance.planHash}`] : []),
    `Runs: ${listRunIds(rows).join(" ")}`,
    ...(provenance.proof ? [`Proof: npx arlarena table verify ${provenance.proof}`] : []),
    `\\usepackage{${packages.join(",")}}`,
    // A LaTeX comment ends at the end of its line.
  ].map((line) => `% ${line.replaceAll(/\s+/g, " ")}`);
}

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
  // LaTeX's default font encoding would print these two characters as other characters.
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

const greekNames =
  "α alpha, β beta, γ gamma, δ delta, ε varepsilon, ζ zeta, η eta, θ theta, ι iota, κ kappa, λ lambda, " +
  "μ mu, ν nu, ξ xi, π pi, ρ rho, σ sigma, τ tau, υ upsilon, φ varphi, χ chi, ψ psi, ω omega, " +
  "Γ Gamma, Δ Delta, Θ Theta, Λ Lambda, Ξ Xi, Π Pi, Σ Sigma, Φ Phi, Ψ Psi, Ω Omega";
const greek: Readonly<Record<string, string>> = Object.fromEntries(
  greekNames.split(", ").map((pair) => {
    const [letter = "", name = ""] = pair.split(" ");
    return [letter, `$\\${name}$`];
  }),
);

/** Matches accented letters that LaTeX accepts unescaped, without those missing from its default fonts. */
const accented = /^[À-ÖØ-öø-ÿĀ-ĎĒ-ěĜ-ģĨ-īĬ-ıĴ-ķĹ-ľŁ-ňŌ-ŢŤŨ-ž]$/;
const lacking = /^[ÐðÞþĄąĘęĮįŊŋŲųĦħ]$/;

/**
 * Escapes in one pass, because a second would escape the first's escapes. Characters that pdfLaTeX cannot print become
 * their code points, so that every table compiles.
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

/** True for characters that LaTeX would join, such as dashes or quotation marks. */
function joins(character: string, next: string | undefined): boolean {
  if (next === undefined) return false;
  return /^(?:--|''|``|,,|!`|\?`)$/.test(character + next);
}
