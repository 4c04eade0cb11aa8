import type { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { split } from "#trainer/spec/rng.ts";
import { block, boxOf, toFinal } from "./expert.ts";
import { families } from "./families.ts";
import { describeTask } from "./generator.ts";
import type { Level } from "./template.ts";

const samplesPerTemplate = 12;

/** Frequent messages of interpreters, so that a small policy reads them as whole words. */
export const messages = [
  "NameError: name 'result' is not defined. Did you mean",
  "SyntaxError: invalid syntax. Perhaps you forgot a comma",
  "SyntaxError: unmatched was never closed unterminated string literal",
  "SyntaxError: expected cannot assign to literal here. Maybe you meant instead of",
  "IndentationError: unexpected indent expected an indented block after 'for' statement on line",
  "IndentationError: unindent does not match any outer indentation level",
  "TypeError: unsupported operand type(s) for int and str list",
  "TypeError: object is not callable iterable",
  "ZeroDivisionError: integer modulo by zero division or",
  "ValueError IndexError list index out of range AttributeError has no attribute",
  "interpreter timeout None True False",
] as const;

/** Texts with the words of a spec and the lengths of its problems and responses. */
export function sampleTexts(spec: TirMathSpec): { texts: readonly string[]; responses: readonly string[] } {
  const tasks = spec.families.flatMap((family) =>
    families[family].flatMap((template) =>
      levelsOf(spec).flatMap((level) =>
        Array.from({ length: samplesPerTemplate }, (_, i) =>
          describeTask(family, template.name, template.make(level, split(i, "sample", family, template.name, level))),
        ),
      ),
    ),
  );
  const programs = tasks.flatMap(({ program, faulty, decoys }) => [program, toFinal(program), faulty, ...decoys]);
  return {
    texts: tasks.map(({ text }) => text),
    responses: [...new Set(programs)].map(block).concat(boxOf("-9999")),
  };
}

function levelsOf({ minLevel, maxLevel }: TirMathSpec): readonly Level[] {
  const [low, high] = [Math.min(minLevel, maxLevel), Math.max(minLevel, maxLevel)];
  return ([1, 2, 3, 4, 5] as const).filter((level) => level >= low && level <= high);
}
