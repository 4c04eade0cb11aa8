import { indentOf, joinCode, splitCode } from "../language/lexer.ts";

/** Kinds of function arguments, for which `drawArgument` samples literals. */
const kinds = [
  ...(["number", "small", "numbers", "gaps", "word", "words", "lists"] as const),
  ...(["record", "graph", "value", "code", "position", "version"] as const),
];
export type ArgumentKind = (typeof kinds)[number];

/** A correct Python function of a repository, before a bug is inserted. */
export type LibraryFunction = {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly kinds: readonly ArgumentKind[];
  /** Lines of the function below the `def` line, without their common indentation. */
  readonly body: readonly string[];
  /** Names of the functions in the same repository that this function calls. */
  readonly calls: readonly string[];
};

export type Library = {
  readonly repo: string;
  readonly modules: readonly string[];
  readonly functions: readonly LibraryFunction[];
};

/** Makes functions, given bodies by signature `name(parameter: kind, …)`, with the earlier functions that they call. */
export function makeFunctions(sources: Readonly<Record<string, string>>): readonly LibraryFunction[] {
  const functions: LibraryFunction[] = [];
  for (const [signature, body] of Object.entries(sources)) {
    const [name = "", list = ""] = signature.slice(0, -1).split("(");
    const parameters = list.split(", ").map((parameter) => parameter.split(": "));
    const used = new Set(splitCode(body.replaceAll("\n", " ")));
    functions.push({
      name,
      parameters: parameters.map(([parameter = ""]) => parameter),
      kinds: parameters.map(([, kind = ""]) => toKind(kind)),
      body: body.split("\n"),
      calls: functions.filter((other) => used.has(other.name)).map((other) => other.name),
    });
  }
  return functions;
}

function toKind(text: string): ArgumentKind {
  const kind = kinds.find((known) => known === text);
  if (kind === undefined) throw new Error(`no kind of argument is called "${text}"`);
  return kind;
}

export function linesOf({ name, parameters, body }: LibraryFunction): readonly string[] {
  return [`def ${name}(${parameters.join(", ")}):`, ...body.map((line) => `    ${line}`)];
}

/** Returns the function with its variables renamed by `names` (old name → new name). */
export function renameVariables(source: LibraryFunction, names: ReadonlyMap<string, string>): LibraryFunction {
  const rename = (word: string): string => names.get(word) ?? word;
  const renameLine = (line: string): string => indentOf(line) + joinCode(splitCode(line).map(rename));
  return { ...source, parameters: source.parameters.map(rename), body: source.body.map(renameLine) };
}
