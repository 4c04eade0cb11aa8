type Tree = Readonly<Record<string, unknown>>;

/**
 * Merges settings field by field, where `above` takes precedence. Lists, plain values and objects with a different
 * `kind`, whose old fields would not fit, are replaced as a whole.
 */
export function mergeSettings(below: Tree, above: Tree): Record<string, unknown> {
  const merged = Object.entries(above).map(([name, value]): [string, unknown] => {
    const under = below[name];
    if (value === undefined) return [name, under];
    return [name, isTree(under) && isTree(value) && isSameKind(under, value) ? mergeSettings(under, value) : value];
  });
  return { ...below, ...Object.fromEntries(merged) };
}

function isSameKind(below: Tree, above: Tree): boolean {
  return above["kind"] === undefined || above["kind"] === below["kind"];
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
