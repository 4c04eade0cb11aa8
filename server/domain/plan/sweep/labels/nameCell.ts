/** Names a configuration in addresses: "my-sweep/GRPO lr 3e-4". `label` is short; configurations of equal labels share a name. */
export function nameCell({ sweepId, method, label }: { sweepId: string; method: string; label: string }): string {
  return `${sweepId}/${[method, label].filter(Boolean).join(" ")}`;
}

export function sweepOfCellName(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf("/")));
}
