import { define, type Body, type Signature } from "../builtins/define.ts";
import type { Module, Value } from "../values/value.ts";

/** A module of built-in functions and other values. Errors name its functions with the module in front. */
export function makeModule(
  name: string,
  functions: Readonly<Record<string, readonly [Signature, Body]>>,
  values: Readonly<Record<string, Value>> = {},
): Module {
  const defined = Object.entries(functions).map(([title, [signature, body]]) => {
    const shown = signature.style === "positional" || signature.style === "named" ? title : `${name}.${title}`;
    return [title, { ...define(shown, signature, body), name: title, title }] as const;
  });
  return { kind: "module", name, members: new Map<string, Value>([...defined, ...Object.entries(values)]) };
}
