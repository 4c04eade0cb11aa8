/**
 * True for a run of another trainer. This file is separate because the specification schemas are large in a browser.
 */
export function isImported<Spec extends object>(spec: Spec): spec is Extract<Spec, { kind: "imported" }> {
  return "kind" in spec;
}
