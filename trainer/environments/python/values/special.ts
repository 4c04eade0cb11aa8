import { callValue } from "./meter.ts";
import { notImplemented, type Instance, type Value } from "./value.ts";

/** What a class of the program says of a special method; never what an instance says. */
export function findSpecial(value: Value, name: string): Value | undefined {
  if (typeof value !== "object" || value?.kind !== "instance") return undefined;
  return findMember(value, name);
}

export function findMember({ type }: Instance, name: string): Value | undefined {
  for (const ancestor of type.ancestors) {
    const member = ancestor.members.get(name);
    if (member !== undefined) return member;
  }
  return undefined;
}

/** What a special method says, or undefined where there is none or it does not know. */
export function callSpecial(self: Value, name: string, args: readonly Value[]): Value | undefined {
  const method = findSpecial(self, name);
  if (method === undefined) return undefined;
  const result = callValue(method, [self, ...args]);
  return result === notImplemented ? undefined : result;
}
