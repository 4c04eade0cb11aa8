import type { Sandbox } from "../../sandbox/sandbox.ts";
import { guestTools } from "./guestCode.ts";
import type { Sources } from "./runTests.ts";

/** A call in JavaScript: the module of its function, and its text. */
export type ProbeCall = { readonly module: string; readonly name: string; readonly args: readonly string[] };

/** What a call gives in the correct code and in the one with the bug; the name of what was thrown, after a `!`. */
export type ProbeResult = ProbeCall & { readonly correct: string; readonly buggy: string; readonly isSame: boolean };

/** Both versions side by side in one run; nothing where the bug keeps a call from ending. */
export function probe(
  sandbox: Sandbox,
  versions: { correct: Sources; buggy: Sources },
  calls: readonly ProbeCall[],
): readonly ProbeResult[] | undefined {
  const modules = [...new Set(calls.map(({ module }) => module))];
  const imports = modules.flatMap((module, i) => [
    `import * as correct${i} from "correct/${module}";`,
    `import * as buggy${i} from "buggy/${module}";`,
  ]);
  const tries = calls.map(({ module, name, args }) => {
    const i = modules.indexOf(module);
    const call = `${name}(${args.join(", ")})`;
    return `compare(() => correct${i}.${call}, () => buggy${i}.${call});`;
  });
  const { output, failure } = sandbox.run({
    files: {
      ...moveTo("correct", versions.correct),
      ...moveTo("buggy", versions.buggy),
      "probe.js": [...imports, guestTools, compare, ...tries].join("\n"),
    },
    entry: "probe.js",
  });
  if (failure !== undefined) return undefined;
  return calls.flatMap((call, i) => {
    const [correct, buggy, same] = (output[i] ?? "").split("\t");
    return correct === undefined || buggy === undefined ? [] : [{ ...call, correct, buggy, isSame: same === "true" }];
  });
}

const compare = `
const attempt = (call) => {
  try {
    return { value: call() };
  } catch (error) {
    return { error: "!" + nameOf(error) };
  }
};
const tell = ({ value, error }) => error ?? show(value);
const compare = (correct, buggy) => {
  const [left, right] = [attempt(correct), attempt(buggy)];
  print(tell(left) + "\\t" + tell(right) + "\\t" + (left.error === right.error && isEqual(left.value, right.value)));
};`;

function moveTo(folder: string, sources: Sources): Sources {
  return Object.fromEntries(Object.entries(sources).map(([path, text]) => [`${folder}/${path}`, text]));
}
