/** The path of a module as another one names it: relative to that one, or from the root. */
export function resolveModule(from: string, name: string): string {
  const parts = name.startsWith(".") ? from.split("/").slice(0, -1) : [];
  for (const part of name.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
