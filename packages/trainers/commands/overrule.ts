import { readArguments } from "../logs/trlSteps.ts";
import type { Remark } from "./handling.ts";

/** Arguments of a plan that the administrator's file does not override, with notes on the others. */
type Overruled = { kept: string[]; notes: Remark[] };

/**
 * Removes `--name value` pairs that a template also sets. They would be overridden silently, and two cells that differ
 * only in them would be the same run.
 */
export function overruleFlags(pairs: readonly string[], template: readonly string[]): Overruled {
  const theirs = readArguments(template);
  const flags = pairs.flatMap((flag, i) => (i % 2 === 0 ? [{ flag, value: pairs[i + 1] ?? "" }] : []));
  return overrule(
    flags.map(({ flag, value }) => ({ name: flag, value, text: [flag, value], theirs: theirs.get(flag.slice(2)) })),
  );
}

/** `overruleFlags` for `key=value` overrides, with an optional leading `+`. */
export function overruleSettings(overrides: readonly string[], template: readonly string[]): Overruled {
  const read = (text: string) => {
    const [, name = "", value = ""] = /^\+*([^=]*)=?(.*)$/s.exec(text) ?? [];
    return { name, value, text: [text] };
  };
  const theirs = new Map(template.map(read).map(({ name, value }) => [name, value]));
  return overrule(overrides.map(read).map((one) => ({ ...one, theirs: theirs.get(one.name) })));
}

type Setting = { name: string; value: string; text: readonly string[]; theirs: string | undefined };

function overrule(settings: readonly Setting[]): Overruled {
  const replaced = settings.filter(({ value, theirs }) => theirs !== undefined && theirs !== value);
  return {
    kept: settings.flatMap(({ text, theirs }) => (theirs === undefined ? text : [])),
    notes: replaced.map(({ name, value, theirs }) => ({
      path: "trainer.name",
      message: `the template has ${name} ${theirs}, which replaces the plan's ${value}`,
    })),
  };
}
