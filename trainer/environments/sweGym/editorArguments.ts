import type { EditorCall } from "./editor.ts";

/** Parses the arguments of a `str_replace_editor` call; undefined if the tool's command line refuses them. */
export function parseEditorArguments(args: readonly string[]): EditorCall | undefined {
  const [command, path, ...rest] = args;
  if (command === undefined || path === undefined || command.startsWith("--") || path.startsWith("--")) {
    return undefined;
  }
  let call: EditorCall = { command, path };
  for (let i = 0; i < rest.length;) {
    const option = rest[i] ?? "";
    const numValues = option === "--view_range" ? 2 : 1;
    const next = withOption(call, option, rest.slice(i + 1, i + 1 + numValues));
    if (next === undefined) return undefined;
    call = next;
    i += 1 + numValues;
  }
  return call;
}

function withOption(call: EditorCall, option: string, values: readonly string[]): EditorCall | undefined {
  const [value, second] = values;
  if (value === undefined) return undefined;
  switch (option) {
    case "--file_text":
      return { ...call, fileText: value };
    case "--old_str":
      return { ...call, oldStr: value };
    case "--new_str":
      return { ...call, newStr: value };
    case "--insert_line":
      return isInteger(value) ? { ...call, insertLine: Number(value) } : undefined;
    case "--view_range":
      return isInteger(value) && second !== undefined && isInteger(second)
        ? { ...call, viewRange: [Number(value), Number(second)] }
        : undefined;
    default:
      return undefined;
  }
}

const option = /(?:^|\s)(--(?:file_text|view_range|old_str|new_str|insert_line))(?=\s|$)/;

/** Splits the text after the editor's name into arguments. A value ends at the next option and may be quoted. */
export function splitEditorArguments(text: string): readonly string[] {
  const [head = "", ...parts] = text.trim().split(option);
  const words = head.split(/\s+/).filter((word) => word !== "");
  const options = parts.flatMap((part, i) => {
    if (i % 2 === 0) return [part];
    return parts[i - 1] === "--view_range" ? part.trim().split(/\s+/) : [unquote(part.trim())];
  });
  return [...words, ...options];
}

function unquote(text: string): string {
  const quote = text[0];
  const isQuoted = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

function isInteger(text: string): boolean {
  return /^-?\d{1,9}$/.test(text);
}
