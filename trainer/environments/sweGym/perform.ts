import { isTest } from "./checking/grade.ts";
import { formatReport, type TestResult } from "./checking/runTests.ts";
import type { Command } from "./command.ts";
import { replaceLine, runEditor, type EditorAnswer } from "./editor.ts";
import { indentOf } from "./language/lexer.ts";
import { absolutePath, hasFile, isDirectory, relativePath, root, type Workspace } from "./workspace.ts";

export type Performance = { readonly text: string; readonly workspace: Workspace };

type RunTests = (workspace: Workspace, testFiles: readonly string[]) => readonly TestResult[];

const editorSettings = { workingDirectory: root, keepsHistory: true };

/** Executes a command of the policy in the working tree. Submission is excluded, since it ends an episode. */
export function perform(
  workspace: Workspace,
  command: Exclude<Command, { kind: "submit" }>,
  runTests: RunTests,
): Performance {
  switch (command.kind) {
    case "list":
      return { text: list(workspace, command.path), workspace };
    case "search":
      return { text: search(workspace, command.text), workspace };
    case "view": {
      const path = absolutePath(command.path);
      const range = command.range && { viewRange: command.range };
      return trim(runEditor(workspace, { command: "view", path, ...range }, editorSettings));
    }
    case "edit":
      return trim(edit(workspace, command));
    case "editor":
      return trim(runEditor(workspace, command.call, editorSettings));
    case "test":
      return { text: test(workspace, command.path, runTests), workspace };
  }
}

function trim({ text, workspace }: EditorAnswer): Performance {
  return { text: text.replace(/\n+$/, ""), workspace };
}

function filesBelow({ files }: Workspace, path: string): readonly string[] {
  return Object.keys(files).filter((file) => file === path || file.startsWith(`${path}/`));
}

function refusePath({ files }: Workspace, path: string): string | undefined {
  if (hasFile(files, path) || isDirectory(files, path)) return undefined;
  return `The path ${path} does not exist. Please provide a valid path.`;
}

function list(workspace: Workspace, directory: string): string {
  const path = absolutePath(directory);
  return refusePath(workspace, path) ?? filesBelow(workspace, path).map(relativePath).join("\n");
}

function search({ files }: Workspace, sought: string): string {
  const hits = Object.entries(files).flatMap(([path, text]) =>
    text
      .split("\n")
      .flatMap((line, i) => (line.includes(sought) ? [`${relativePath(path)}:${i + 1}: ${line.trim()}`] : [])),
  );
  return hits.length === 0 ? "No matches found." : hits.join("\n");
}

/** Replaces a line of a file and keeps the line's indentation, whatever the indentation of the new text. */
function edit(workspace: Workspace, { path: name, line, text }: Extract<Command, { kind: "edit" }>): EditorAnswer {
  const path = absolutePath(name);
  if (!hasFile(workspace.files, path)) {
    // The path is no file, so the editor's own error message is returned.
    return runEditor(workspace, { command: "str_replace", path }, editorSettings);
  }
  const lines = (workspace.files[path] ?? "").split("\n");
  const before = lines[line - 1];
  if (before === undefined) {
    const range = `It should be within the range of lines of the file: [1, ${lines.length}]`;
    return { text: `Invalid line: ${line}. ${range}`, exitCode: 17, workspace };
  }
  const after = text.trim() === "" ? "" : indentOf(before) + text.trim();
  if (after === before) {
    const same = `No replacement was performed, old_str \`${before.trim()}\` is the same as new_str \`${after.trim()}\`.`;
    return { text: same, exitCode: 161, workspace };
  }
  return replaceLine(workspace, path, { lineIndex: line - 1, text: after });
}

function test(workspace: Workspace, name: string | undefined, runTests: RunTests): string {
  const path = absolutePath(name ?? "tests");
  const testFiles = filesBelow(workspace, path).filter(isTest);
  const refusal = name === undefined ? undefined : refusePath(workspace, path);
  return refusal ?? formatReport(runTests(workspace, testFiles));
}
