import type { EditorCall } from "./editor.ts";
import { parseEditorArguments, splitEditorArguments } from "./editorArguments.ts";

export type Command =
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "search"; readonly text: string }
  | { readonly kind: "view"; readonly path: string; readonly range?: readonly [number, number] }
  | { readonly kind: "edit"; readonly path: string; readonly line: number; readonly text: string }
  | { readonly kind: "editor"; readonly call: EditorCall }
  | { readonly kind: "test"; readonly path: string | undefined }
  | { readonly kind: "submit" };

const editPattern = /^edit (\S+) (\d{1,6}) ?:(?: ?([^]*))?$/;
const viewPattern = /^view (\S+)(?: (-?\d{1,6}) (-?\d{1,6}))?$/;

/** Parses an action; undefined if the text is no command. Only `edit` and the editor accept several lines. */
export function parseCommand(action: string): Command | undefined {
  const text = action.trim();
  const [verb = "", ...words] = text.split(/\s+/);
  const [first] = words;
  const isOneLine = !text.includes("\n");
  switch (verb) {
    case "ls":
      return words.length > 1 || !isOneLine ? undefined : { kind: "list", path: first ?? "." };
    case "search": {
      const sought = text.slice("search".length).trim();
      return sought === "" || !isOneLine ? undefined : { kind: "search", text: sought };
    }
    case "view": {
      const [, path, from, to] = viewPattern.exec(text) ?? [];
      if (path === undefined) return undefined;
      return { kind: "view", path, ...(from === undefined ? {} : { range: [Number(from), Number(to)] as const }) };
    }
    case "edit": {
      const [, path, line, replacement = ""] = editPattern.exec(text) ?? [];
      return path === undefined ? undefined : { kind: "edit", path, line: Number(line), text: replacement };
    }
    case "str_replace_editor": {
      const call = parseEditorArguments(splitEditorArguments(text.slice(verb.length)));
      return call && { kind: "editor", call };
    }
    case "test":
      return words.length > 1 || !isOneLine ? undefined : { kind: "test", path: first };
    case "submit":
      return words.length > 0 ? undefined : { kind: "submit" };
    default:
      return undefined;
  }
}
