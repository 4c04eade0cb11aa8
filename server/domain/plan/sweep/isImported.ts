/** True for a run of another trainer. Separate from the specification schemas, which are large in a browser. */
export function isImported<Spec extends object>(spec: Spec): spec is Extract<Spec, { kind: "imported" }> {
  return "kind" in spec;
}
