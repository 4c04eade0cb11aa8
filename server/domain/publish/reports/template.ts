type SweepOfReport = { id: string; name: string; description: string };

const block = (kind: string, fields: Readonly<Record<string, string>>): string =>
  ["```" + kind, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), "```"].join("\n");

export function reportOfSweep({ id, name, description }: SweepOfReport, metrics: readonly string[]) {
  const sweep = { sweep: id };
  const parts = [
    ...(description === "" ? [] : [description]),
    block("headline", sweep),
    "# Curves",
    ...metrics.map((metric) => block("chart", { ...sweep, metric })),
    "# Final values",
    block("table", { ...sweep, kind: "final" }),
    "# Stability",
    block("table", { ...sweep, kind: "stability" }),
    "# Claims",
    block("analysis", { ...sweep, question: "claims" }),
    "# Settings",
    block("settings", sweep),
  ];
  return { title: `Report of ${name}`, body: `${parts.join("\n\n")}\n` };
}
