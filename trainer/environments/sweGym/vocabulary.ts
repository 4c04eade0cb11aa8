import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { splitCode } from "./language/code.ts";
import { largestNumberWord, layoutWords } from "./language/codec.ts";
import { phraseWords } from "./language/phrases.ts";
import { argumentWords } from "./library/argument.ts";
import { linesOf } from "./library/function.ts";
import { commonModules, heldOutRepos, libraries } from "./library/repos.ts";
import { mutationWords } from "./mutation/mutators.ts";
import { synonyms } from "./tasks/names.ts";
import { issueWords } from "./tasks/issue.ts";
import { expertWords } from "./expert.ts";

/** Every word that tasks of a specification can print, and every character of punctuation, for what policies write. */
export function vocabularyOf(spec: SweGymSpec): readonly string[] {
  const own = [...spec.repos, ...heldOutRepos].flatMap((repo) => libraries[repo] ?? []);
  const common = spec.files > 1 ? commonModules : [];
  const functions = [...own, ...common].flatMap(({ functions }) => functions);
  const numModules = spec.files;
  const modules = [...own.flatMap(({ modules }) => modules.slice(0, numModules)), ...common.map(({ name }) => name)];
  const code = functions.flatMap((source) => linesOf(source).flatMap(splitCode));
  const renamed =
    spec.renamedPercent === 0
      ? []
      : Object.entries(synonyms).flatMap(([name, synonym]) => (code.includes(name) ? [synonym] : []));
  const paths = modules.flatMap((name) => [`src/${name}.js`, `tests/${name}.test.js`]);
  const words = [
    ...layoutWords,
    ...phraseWords,
    ...Array.from({ length: largestNumberWord + 1 }, (_, i) => String(i)),
    ...Array.from("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    ...code,
    ...renamed,
    ...paths,
    ...(spec.files > 1 ? [...modules, "./", ".js"] : []),
    ...Array.from({ length: 5 }, (_, i) => `_${i + 1}`),
    ...argumentWords,
    ...mutationWords,
    ...issueWords,
    ...expertWords,
    ...[...spec.bugFamilies, "wrong_callee"].flatMap((family) => family.split("_")),
    ...toolWords,
  ];
  // Numbers in code are written with those above; a string of two words is punctuation and words.
  return [...new Set(words.filter((word) => !/^\d{2,}$/.test(word) || Number(word) <= largestNumberWord))];
}

const toolWords = [
  ..."PASSED FAILED ERROR passed failed error errors assert no tests ran :: == import from".split(" "),
  ..."TypeError ReferenceError RangeError SyntaxError InternalError Error Timeout MemoryError".split(" "),
  ..."test expect .toEqual => function symbol /testbed /testbed/ ../ src tests".split(" "),
  ..."The file File path has been edited str_replace_editor undo_edit create str_replace insert view".split(" "),
  ..."--view_range --file_text --old_str --new_str --insert_line old_str in lines view_range".split(" "),
  ..."created successfully at already exists Cannot overwrite files using command Invalid Its".split(" "),
  ..."first second element should be within the range of smaller than number larger or equal".split(" "),
  ..."e rate given Parameter is required for".split(" "),
];

/** The longest line of code in words. */
export function longestLine(spec: SweGymSpec, countWords: (text: string) => number): number {
  const functions = [...spec.repos, ...heldOutRepos].flatMap((repo) => libraries[repo]?.functions ?? []);
  return Math.max(...functions.flatMap(({ body }) => body.map((line) => countWords(line.trim()))));
}
