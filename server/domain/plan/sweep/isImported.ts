/**
 * Returns true for a run imported from another trainer's files. This file is separate to keep schemas out of the
 * browser.
 */
export function isImported<Spec extends object>(spec: Spec): spec is Extract<Spec, { kind: "imported" }> {
  return "kind" in spec;
}
