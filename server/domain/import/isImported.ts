/** Whether another trainer carried it out. Apart from the schemas of specifications, which are heavy for a browser. */
export function isImported<Spec extends object>(spec: Spec): spec is Extract<Spec, { kind: "imported" }> {
  return "kind" in spec;
}
