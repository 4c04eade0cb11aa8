import { hasFile, isDirectory, listTree, normalisePath, type Files, type Workspace } from "./workspace.ts";

/** Arguments of SWE-agent's `str_replace_editor`. A missing parameter gives the tool's own error message. */
export type EditorCall = {
  readonly command: string;
  readonly path: string;
  readonly viewRange?: readonly [number, number];
  readonly fileText?: string;
  readonly oldStr?: string;
  readonly newStr?: string;
  readonly insertLine?: number;
};

export type EditorAnswer = { readonly text: string; readonly exitCode: number; readonly workspace: Workspace };

export type EditorSettings = {
  /** Prefix of the absolute path that the editor suggests in its error message about a relative path. */
  readonly workingDirectory: string;
  /** False to reproduce the recorded editor, which ran without a history file, so that no edit could be undone. */
  readonly keepsHistory: boolean;
};

/** Result of an edit; `workspace` is left out if the working tree did not change. */
type Answer = Omit<EditorAnswer, "workspace"> & { readonly workspace?: Workspace };

/** Runs an editor call and returns exactly what SWE-agent's editor outputs, without the final line break. */
export function runEditor(workspace: Workspace, call: EditorCall, settings: EditorSettings): EditorAnswer {
  const path = normalisePath(call.path);
  const refusal = refusePath(workspace.files, { ...call, path }, settings);
  const answer: Answer = refusal ?? run(workspace, { ...call, path });
  const after = answer.workspace ?? workspace;
  return { ...answer, workspace: settings.keepsHistory ? after : { ...after, history: {} } };
}

function refusePath(
  files: Files,
  { command, path }: EditorCall,
  { workingDirectory }: EditorSettings,
): Answer | undefined {
  if (!path.startsWith("/")) {
    const suggestion = normalisePath(`${workingDirectory}/${path}`);
    const text = `The path ${path} is not an absolute path, it should start with \`/\`. Maybe you meant ${suggestion}?`;
    return { text, exitCode: 6 };
  }
  const exists = hasFile(files, path) || isDirectory(files, path);
  if (!exists && command !== "create") {
    return { text: `The path ${path} does not exist. Please provide a valid path.`, exitCode: 7 };
  }
  if (exists && command === "create") {
    const text = `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`;
    return { text, exitCode: 8 };
  }
  if (isDirectory(files, path) && command !== "view") {
    const text = `The path ${path} is a directory and only the \`view\` command can be used on directories`;
    return { text, exitCode: 9 };
  }
  return undefined;
}

function run(workspace: Workspace, call: EditorCall): Answer {
  const { command, path, fileText, oldStr, newStr, insertLine } = call;
  switch (command) {
    case "view":
      return view(workspace.files, path, call.viewRange);
    case "create":
      return fileText === undefined ? lacks("file_text", command, 1) : create(workspace, path, fileText);
    case "str_replace":
      return oldStr === undefined
        ? lacks("old_str", command, 2)
        : replace(workspace, path, { oldStr, newStr: newStr ?? "" });
    case "insert":
      if (insertLine === undefined) return lacks("insert_line", command, 3);
      return newStr === undefined ? lacks("new_str", command, 4) : insert(workspace, path, { insertLine, newStr });
    case "undo_edit":
      return undo(workspace, path);
    default: {
      const known = '"view", "create", "str_replace", "insert", "undo_edit"';
      const text = `Unrecognized command ${command}. The allowed commands for the str_replace_editor tool are: ${known}`;
      return { text, exitCode: 5 };
    }
  }
}

function lacks(parameter: string, command: string, exitCode: number): Answer {
  return { text: `Parameter \`${parameter}\` is required for command: ${command}`, exitCode };
}

function view(files: Files, path: string, range: EditorCall["viewRange"]): Answer {
  if (isDirectory(files, path)) {
    if (range) {
      const text = "The `view_range` parameter is not allowed when `path` points to a directory.";
      return { text, exitCode: 10 };
    }
    const found = listTree(files, path).join("\n");
    const text = `Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n${found}\n\n`;
    return { text, exitCode: 0 };
  }
  const lines = (files[path] ?? "").split("\n");
  if (!range) return { text: number(lines, path), exitCode: 0 };
  return refuseRange(range, lines.length) ?? viewLines(lines, path, range);
}

function viewLines(lines: readonly string[], path: string, [first, last]: readonly [number, number]): Answer {
  const shown = lines.slice(first - 1, last === -1 ? lines.length : last);
  return { text: number(shown, path, first), exitCode: 0 };
}

function refuseRange([first, last]: readonly [number, number], numLines: number): Answer | undefined {
  const invalid = `Invalid \`view_range\`: [${first}, ${last}].`;
  if (first < 1 || first > numLines) {
    const text = `${invalid} Its first element \`${first}\` should be within the range of lines of the file: [1, ${numLines}]`;
    return { text, exitCode: 12 };
  }
  if (last > numLines) {
    const text = `${invalid} Its second element \`${last}\` should be smaller than the number of lines in the file: \`${numLines}\``;
    return { text, exitCode: 13 };
  }
  if (last !== -1 && last < first) {
    const text = `${invalid} Its second element \`${last}\` should be larger or equal than its first \`${first}\``;
    return { text, exitCode: 14 };
  }
  return undefined;
}

function create(workspace: Workspace, path: string, text: string): Answer {
  const parent = path.slice(0, path.lastIndexOf("/")) || "/";
  if (!isDirectory(workspace.files, parent)) {
    return { text: `The parent directory ${parent} does not exist. Please create it first.`, exitCode: 21 };
  }
  // SWE-agent's history stores the new text of a created file, so the first undo of a new file changes nothing.
  const written = write(workspace, path, { text, before: text });
  return { text: `File created successfully at: ${path}`, exitCode: 0, workspace: written };
}

/** Number of lines that the editor shows above and below an edit. */
const context = 4;

function replace(workspace: Workspace, path: string, strings: { oldStr: string; newStr: string }): Answer {
  const before = expandTabs(workspace.files[path] ?? "");
  const [oldStr, newStr] = [expandTabs(strings.oldStr), expandTabs(strings.newStr)];
  const occurrences = countOccurrences(before, oldStr);
  if (occurrences === 0) {
    const text = `No replacement was performed, old_str \`${oldStr}\` did not appear verbatim in ${path}.`;
    return { text, exitCode: 15 };
  }
  if (occurrences > 1) {
    const lines = before.split("\n").flatMap((line, i) => (line.includes(oldStr) ? [i + 1] : []));
    const text = `No replacement was performed. Multiple occurrences of old_str \`${oldStr}\` in lines [${lines.join(", ")}]. Please ensure it is unique`;
    return { text, exitCode: 16 };
  }
  if (newStr === oldStr) {
    const text = `No replacement was performed, old_str \`${oldStr}\` is the same as new_str \`${newStr}\`.`;
    return { text, exitCode: 161 };
  }
  const start = before.indexOf(oldStr);
  const text = before.slice(0, start) + newStr + before.slice(start + oldStr.length);
  return edited(write(workspace, path, { text, before }), path, {
    lineIndex: countOccurrences(before.slice(0, start), "\n"),
    numLines: countOccurrences(newStr, "\n"),
  });
}

/** Returns the editor's output for a replacement that begins at line `lineIndex` (from 0) and adds `numLines` lines. */
function edited(workspace: Workspace, path: string, at: { lineIndex: number; numLines: number }): EditorAnswer {
  const lines = (workspace.files[path] ?? "").split("\n");
  const numLines = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const first = Math.max(1, at.lineIndex - context);
  const last = Math.min(at.lineIndex + context + at.numLines, numLines);
  const snippet = number(lines.slice(first - 1, last), `a snippet of ${path}`, first);
  return { text: `The file ${path} has been edited. ${snippet}${review}`, exitCode: 0, workspace };
}

const review = "Review the changes and make sure they are as expected. Edit the file again if necessary.";
const reviewInsertion =
  "Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.";

/** Replaces line `lineIndex`, counted from 0, by `text`. The output is the editor's message about a replacement. */
export function replaceLine(
  workspace: Workspace,
  path: string,
  change: { lineIndex: number; text: string },
): EditorAnswer {
  const before = workspace.files[path] ?? "";
  const lines = before.split("\n");
  const text = lines.with(change.lineIndex, change.text).join("\n");
  return edited(write(workspace, path, { text, before }), path, { lineIndex: change.lineIndex, numLines: 0 });
}

function insert(
  workspace: Workspace,
  path: string,
  { insertLine, newStr }: { insertLine: number; newStr: string },
): Answer {
  const before = expandTabs(workspace.files[path] ?? "");
  const lines = before.split("\n");
  if (insertLine < 0 || insertLine > lines.length) {
    const text = `Invalid \`insert_line\` parameter: ${insertLine}. It should be within the range of lines of the file: [0, ${lines.length}]`;
    return { text, exitCode: 17 };
  }
  const added = expandTabs(newStr).split("\n");
  const text = [...lines.slice(0, insertLine), ...added, ...lines.slice(insertLine)].join("\n");
  const above = lines.slice(Math.max(0, insertLine - context), insertLine);
  const shown = [...above, ...added, ...lines.slice(insertLine, insertLine + context)];
  const snippet = number(shown, "a snippet of the edited file", Math.max(1, insertLine - context + 1));
  const answer = `The file ${path} has been edited. ${snippet}${reviewInsertion}`;
  return { text: answer, exitCode: 0, workspace: write(workspace, path, { text, before }) };
}

function undo({ files, history }: Workspace, path: string): Answer {
  const texts = history[path] ?? [];
  const text = texts.at(-1);
  if (text === undefined) return { text: `No edit history found for ${path}.`, exitCode: 18 };
  const answer = `Last edit to ${path} undone successfully. ${number(text.split("\n"), path)}`;
  const workspace = { files: { ...files, [path]: text }, history: { ...history, [path]: texts.slice(0, -1) } };
  return { text: answer, exitCode: 0, workspace };
}

function write(
  { files, history }: Workspace,
  path: string,
  { text, before }: { text: string; before: string },
): Workspace {
  return {
    files: { ...files, [path]: text },
    history: { ...history, [path]: [...(history[path] ?? []), before] },
  };
}

/** Returns the lines with line numbers as in the output of `cat -n`. */
function number(lines: readonly string[], subject: string, first = 1): string {
  const numbered = lines.map((line, i) => `${String(i + first).padStart(6)}\t${expandTabs(line)}`);
  return `Here's the result of running \`cat -n\` on ${subject}:\n${numbered.join("\n")}\n`;
}

function countOccurrences(text: string, part: string): number {
  return part === "" ? text.length + 1 : text.split(part).length - 1;
}

/** Expands tabs to the next multiple of eight columns, as Python's `expandtabs` does. */
function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  return text
    .split("\n")
    .map((line) =>
      line.split("\t").reduce((expanded, part) => expanded.padEnd((Math.floor(expanded.length / 8) + 1) * 8) + part),
    )
    .join("\n");
}
