import type { Column, Estimate, Row, Table, TableCell } from "#packages/tables";

const format = { shift: 0, decimals: 1 };

function column(group: string, header: string): Column {
  return { key: `${group} ${header}`, header, better: "up", format, ...(group !== "" && { group }) };
}

const columns: Column[] = [
  { key: "method", header: "Method", better: "none", format },
  ...["Pick", "Look", "Clean", "Heat", "Cool", "Pick2", "All"].map((header) => column("ALFWorld", header)),
  ...["Score", "Succ."].map((header) => column("WebShop", header)),
  column("Sokoban", "Succ."),
  column("TIR-Math", "Acc."),
  column("", "Avg."),
  { key: "collapsed", header: "Coll.", better: "down", format },
];

/** Parses "60.0±3.1*": mean, standard deviation and stars of one cell. */
function parseCell(text: string): TableCell {
  const [, mean = "", std, stars = ""] = /^([\d.]+)(?:±([\d.]+))?(\**)$/.exec(text) ?? [];
  const share = /^(\d+)\/(\d+)$/.exec(text);
  if (share) return { kind: "share", k: Number(share[1]), n: Number(share[2]) };
  const shown: Estimate["shown"] = std === undefined ? { kind: "none" } : { kind: "plusMinus", value: Number(std) };
  return {
    kind: "estimate",
    mean: Number(mean),
    std: Number(std ?? NaN),
    n: 5,
    shown,
    stars: stars === "*" ? "*" : "",
    marks: [],
  };
}

function row(line: string, more: Partial<Row> & { latex?: string } = {}): Row {
  const [method = "", ...cells] = line.split(" ");
  const { latex, ...rest } = more;
  const name = { kind: "text", text: method, ...(latex !== undefined && { latex }) } as const;
  return { cells: [name, ...cells.map(parseCell)], runIds: [method], ...rest };
}

const grpo = row("GRPO 70.1 55.0 61.2 58.4 57.7 50.3 60.0±3.1 70.2 55.1±2.0 80.3±1.9 30.1±0.8 56.4 1/5", {
  heading: "Loss aggregation",
});
const sampo = row("SAMPO 94.2 88.0 93.1 90.6 91.3 87.9 91.5±1.3* 86.9 76.2±1.4* 88.0±1.0* 33.0±0.6* 72.2 0/5", {
  isOurs: true,
  heading: "Ours",
});

function changes(): TableCell[] {
  return sampo.cells.slice(1, -1).map((cell, i) => {
    const base = grpo.cells[i + 1];
    const [x, b] = [cell, base].map((one) => (one?.kind === "estimate" ? one.mean : NaN));
    return { kind: "change", of: "percent", value: (100 * ((x ?? NaN) - (b ?? NaN))) / (b ?? NaN) };
  });
}

/** Layout of ARLArena's main table in 14 columns, with dummy numbers. */
export const workedExample: Table = {
  caption:
    "Success (%, mean ± std over 5 seeds; final-window, 128 episodes). Best bold, second underlined. " +
    "*: better than GRPO, Welch t, Holm over 4 methods, p < .05. Coll.: seeds that collapsed. " +
    "Avg.: mean of ALFWorld All, WebShop Succ., Sokoban, TIR-Math.",
  label: "main",
  columns,
  rows: [
    grpo,
    row("GRPO_ST 69.0 56.1 60.4 57.2 58.0 49.8 59.2±2.8 69.8 54.0±2.3 79.8±2.2 27.5±1.1 55.1 1/5", {
      heading: "Loss aggregation",
      latex: "GRPO$_{\\mathrm{ST}}$",
    }),
    row("SAPO 35.0 22.1 27.3 24.9 23.6 18.2 25.9±9.7 41.0 22.4±8.8 60.2±9.1 29.0±1.0 34.4 4/5", {
      heading: "Importance-sampling clipping",
    }),
    row("GSPO 82.4 71.0 78.8 75.5 74.2 69.3 75.8±1.9* 78.4 66.0±1.5* 84.1±1.2 31.7±0.7 64.4 0/5", {
      heading: "Importance-sampling clipping",
    }),
    sampo,
    {
      cells: [{ kind: "text", text: "Δ vs GRPO" }, ...changes(), { kind: "text", text: "" }],
      runIds: ["SAMPO"],
      isOurs: true,
      isChange: true,
      heading: "Ours",
    },
  ],
  notes: [],
  isWide: true,
  provenance: { sweepName: "Worked example" },
};
