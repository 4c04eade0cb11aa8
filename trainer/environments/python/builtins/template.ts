import { raise } from "../values/errors.ts";
import { formatValue } from "../values/format.ts";
import { subscript } from "../values/containers.ts";
import { lookUp } from "../values/lookUp.ts";
import { toAscii, toRepr, toText } from "../values/text.ts";
import type { Keywords, Value } from "../values/value.ts";

/** `template.format(…)` */
export function formatTemplate(template: string, args: readonly Value[], keywords: Keywords): string {
  return render({ args, keywords, next: 0, isManual: false }, template, 2);
}

type Fields = { args: readonly Value[]; keywords: Keywords; next: number; isManual: boolean };

function render(fields: Fields, template: string, depth: number): string {
  if (depth < 0) throw raise("ValueError", "Max string recursion exceeded");
  let text = "";
  for (let i = 0; i < template.length; i++) {
    const c = template.charAt(i);
    if (c !== "{" && c !== "}") text += c;
    else if (template[i + 1] === c) {
      text += c;
      i++;
    } else if (c === "}") throw raise("ValueError", "Single '}' encountered in format string");
    else {
      const end = findEnd(template, i);
      text += renderField(fields, template.slice(i + 1, end), depth);
      i = end;
    }
  }
  return text;
}

function findEnd(template: string, start: number): number {
  if (start + 1 >= template.length) throw raise("ValueError", "Single '{' encountered in format string");
  let depth = 0;
  for (let i = start; i < template.length; i++) {
    if (template[i] === "{") depth++;
    if (template[i] === "}" && --depth === 0) return i;
  }
  throw raise("ValueError", "expected '}' before end of string");
}

function renderField(fields: Fields, field: string, depth: number): string {
  const [, name = "", conversion, spec = ""] = /^([^!:]*)(?:!([^:]*))?(?::([^]*))?$/.exec(field) ?? [];
  const value = findField(fields, name);
  const format = render(fields, spec, depth - 1);
  switch (conversion) {
    case undefined:
      return formatValue(value, format);
    case "r":
      return formatValue(toRepr(value), format);
    case "s":
      return formatValue(toText(value), format);
    case "a":
      return formatValue(toAscii(value), format);
    default:
      throw raise("ValueError", `Unknown conversion specifier '${conversion}'`);
  }
}

function findField(fields: Fields, name: string): Value {
  const [, first = "", rest = ""] = /^([^.[]*)([^]*)$/.exec(name) ?? [];
  let value = findFirst(fields, first);
  for (const [, attribute, index] of rest.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
    if (attribute !== undefined) value = lookUp(value, attribute);
    else if (index !== undefined) value = subscript(value, /^\d+$/.test(index) ? Number(index) : index);
  }
  return value;
}

function findFirst(fields: Fields, name: string): Value {
  const isNumber = /^\d*$/.test(name);
  if (!isNumber) {
    const value = fields.keywords.get(name);
    if (value === undefined) throw raise("KeyError", name);
    return value;
  }
  if (name === "" && fields.isManual) {
    throw raise("ValueError", "cannot switch from manual field specification to automatic field numbering");
  }
  if (name !== "" && fields.next > 0) {
    throw raise("ValueError", "cannot switch from automatic field numbering to manual field specification");
  }
  if (name !== "") fields.isManual = true;
  const index = name === "" ? fields.next++ : Number(name);
  const value = fields.args[index];
  if (value === undefined) {
    throw raise("IndexError", `Replacement index ${index} out of range for positional args tuple`);
  }
  return value;
}
