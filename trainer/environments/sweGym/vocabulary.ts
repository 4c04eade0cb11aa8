import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { splitCode } from "./language/lexer.ts";
import { largestNumberWord, layoutWords } from "./language/codec.ts";
import { phraseWords } from "./language/phrases.ts";
import { argumentWords } from "./library/argument.ts";
import { linesOf } from "./library/function.ts";
import { commonModules, heldOutRepos, libraries } from "./library/repos.ts";
import { mutationWords } from "./mutation/mutators.ts";
import { synonyms } from "./tasks/names.ts";
import { testClassOf } from "./tasks/tests.ts";
import { issueWords } from "./tasks/task.ts";
import { expertWords } from "./expert.ts";

/** Returns a small policy's vocabulary: every word that tasks can print, and all punctuation for responses. */
export function vocabularyOf(spec: SweGymSpec): readonly string[] {
  const chosen = [...spec.repos, ...heldOutRepos].flatMap((repo) => libraries[repo] ?? []);
  const common = spec.files > 1 ? commonModules : [];
  const functions = [...chosen, ...common].flatMap(({ functions }) => functions);
  const numModules = spec.files;
  const modules = [...chosen.flatMap(({ modules }) => modules.slice(0, numModules)), ...common.map(({ name }) => name)];
  const code = functions.flatMap((source) => linesOf(source).flatMap(splitCode));
  // Names of missing attributes in Python's error messages, which are in quotes.
  const members = code.flatMap((word) => (word.startsWith(".") ? [`'${word.slice(1)}'`] : []));
  const renamed =
    spec.renamedPercent === 0
      ? []
      : Object.entries(synonyms).flatMap(([name, synonym]) => (code.includes(name) ? [synonym] : []));
  const files = modules.flatMap((name) => [
    `src/${name}.py`,
    `tests/test_${name}.py`,
    `.${name}`,
    testClassOf(`src/${name}.py`),
  ]);
  const words = [
    ...layoutWords,
    ...phraseWords,
    ...Array.from({ length: largestNumberWord + 1 }, (_, i) => String(i)),
    ...Array.from("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    ...code,
    ...members,
    ...renamed,
    ...files,
    ...Array.from({ length: 5 }, (_, i) => `_${i + 1}`),
    ...argumentWords,
    ...mutationWords,
    ...issueWords,
    ...expertWords,
    ...[...spec.bugFamilies, "wrong_callee"].flatMap((family) => family.split("_")),
    ...toolWords,
  ];
  // Numbers above `largestNumberWord` are left out, because they are encoded digit by digit.
  return [...new Set(words.filter((word) => !/^\d{2,}$/.test(word) || Number(word) <= largestNumberWord))];
}

const toolWords = [
  ..."PASSED FAILED ERROR passed failed error errors no tests ran :: != test_ import from class def self".split(" "),
  ..."unittest .TestCase .assertEqual src /testbed /testbed/ tests File line".split(" "),
  ..."AssertionError TypeError NameError IndexError KeyError ValueError AttributeError ZeroDivisionError".split(" "),
  ..."UnboundLocalError RecursionError SyntaxError IndentationError ImportError MemoryError Timeout".split(" "),
  ..."Lists Dicts differ".split(" "),
  // Words of CPython's error messages, for a small policy's vocabulary.
  ..."object is not iterable subscriptable callable integer division or modulo by zero index out of range".split(" "),
  ..."unsupported operand type s expected at most argument arguments got must be missing required positional".split(
    " ",
  ),
  ..."supported between instances and empty sequence can only concatenate unhashable attribute has".split(" "),
  ..."name defined cannot access local variable where it associated with a value unmatched invalid syntax".split(" "),
  ..."The file File path has been edited str_replace_editor undo_edit create str_replace insert view".split(" "),
  ..."--view_range --file_text --old_str --new_str --insert_line old_str in lines view_range".split(" "),
  ..."created successfully at already exists Cannot overwrite files using command Invalid Its".split(" "),
  ..."first second element should be within the range of smaller than number larger or equal".split(" "),
  ..."e rate given Parameter is required for".split(" "),
];

export function longestLine(spec: SweGymSpec, countWords: (text: string) => number): number {
  const functions = [...spec.repos, ...heldOutRepos].flatMap((repo) => libraries[repo]?.functions ?? []);
  return Math.max(...functions.flatMap(({ body }) => body.map((line) => countWords(line.trim()))));
}
