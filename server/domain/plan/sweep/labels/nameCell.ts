type Cell = { sweepId: string; method: string; label: string };

/** Names a configuration in addresses: "my-sweep/GRPO lr 3e-4". `label` is short; configurations of equal labels share a name. */
export function nameCell({ sweepId, method, label }: Cell): string {
  return `${sweepId}/${[method, label].filter(Boolean).join(" ")}`;
}

/** Names all configurations of sweeps. Those that share a name also have their index: "my-sweep/GRPO lr 3e-4 #12". */
export function nameCells(cells: readonly (Cell & { index: number })[]): string[] {
  const names = cells.map(nameCell);
  const numNamed = new Map<string, number>();
  for (const name of names) numNamed.set(name, (numNamed.get(name) ?? 0) + 1);
  return cells.map(({ index }, i) => {
    const name = names[i] ?? "";
    return numNamed.get(name) === 1 ? name : `${name} #${index}`;
  });
}

export function sweepOfCellName(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf("/")));
}
