import { readArguments } from "../trlSteps.ts";
import type { Remark } from "./handling.ts";

/** What is left of a plan's arguments beside those that an administrator's file has last, and what was replaced. */
type Overruled = { kept: string[]; notes: Remark[] };

/**
 * `--name value` pairs without those that a template names itself. They would lose in silence, and two cells that differ
 * in nothing else would not look like one run.
 */
export function overruleFlags(pairs: readonly string[], template: readonly string[]): Overruled {
  const theirs = readArguments(template);
  const flags = pairs.flatMap((flag, i) => (i % 2 === 0 ? [{ flag, value: pairs[i + 1] ?? "" }] : []));
  return overrule(
    flags.map(({ flag, value }) => ({ name: flag, value, text: [flag, value], theirs: theirs.get(flag.slice(2)) })),
  );
}

/** The same of `key=value`, which may be led by `+`. */
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
