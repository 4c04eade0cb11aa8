/** Tells runs of other trainers apart. This file is separate to keep schemas out of the browser. */
export function isImported<Spec extends object>(spec: Spec): spec is Extract<Spec, { kind: "imported" }> {
  return "kind" in spec;
}
