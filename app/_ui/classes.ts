/** Joins class names by spaces; false and undefined entries are omitted. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
