"use client";
import { autocompletion, closeBrackets, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { InputIssue } from "#packages/base";
import type { Completion, Completions } from "#server/domain/plan/sweep/file/completePlan.ts";
import { tags } from "@lezer/highlight";

type Props = {
  label: string;
  /** Id of the HTML element that lists the text's errors in words. */
  describedBy: string;
  text: string;
  onChange: (text: string) => void;
  /** Errors in the text; an error with a line number is marked at its line. */
  issues: readonly InputIssue[];
  language: {
    complete: (text: string, offset: number) => Completions;
    describe: (text: string, offset: number) => Completion | undefined;
  };
};

/** YAML editor with completion (Ctrl+Space), help on hover, and marked errors (F8: next). Tab leaves the editor. */
export default function YamlEditor(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (!place.current) return;
    const { text, label, describedBy, language } = latest.current;
    const editor = new EditorView({
      parent: place.current,
      doc: text,
      extensions: [
        basics,
        autocompletion({ override: [completeBy(language)], icons: false }),
        hoverTooltip((state, offset) => toTooltip(language.describe(state.state.doc.toString(), offset), offset)),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, spellcheck: "false" }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) latest.current.onChange(state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  const { text, issues } = props;
  useEffect(() => {
    const editor = view.current;
    // The text was replaced from outside the editor: a file was opened, or changes were discarded.
    if (editor && editor.state.doc.toString() !== text) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
    }
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    editor.dispatch(
      setDiagnostics(
        editor.state,
        issues.flatMap((issue) => toDiagnostic(editor.state.doc, issue)),
      ),
    );
    editor.contentDOM.setAttribute("aria-invalid", String(issues.length > 0));
  }, [issues]);
  return <div ref={place} className="overflow-hidden rounded-md border border-edge/60 bg-surface" />;
}

/** Theme of the editor in the colours of the page's light or dark theme. Hue is reserved for methods and states. */
const editorLooks = [
  EditorView.theme({
    "&": { minHeight: "28rem", color: "var(--text)", fontSize: "0.8125rem" },
    "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "2px" },
    ".cm-scroller": { fontFamily: "var(--font-jetbrains), monospace", lineHeight: "1.65" },
    ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
    ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": {
      backgroundColor: "color-mix(in oklab, var(--accent) 26%, var(--surface))",
    },
    ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--sunken) 60%, transparent)" },
    "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--sunken)", outline: "1px solid var(--edge)" },
    ".cm-tooltip": {
      backgroundColor: "var(--surface)",
      color: "var(--text)",
      border: "1px solid var(--line)",
      borderRadius: "6px",
      boxShadow: "0 4px 16px rgb(0 0 0 / 0.14)",
    },
    ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit", maxHeight: "18rem" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--sunken)", color: "var(--text)" },
    ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
    ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", marginLeft: "1em" },
    ".cm-tooltip.cm-completionInfo, .cm-tooltip-hover": { padding: "6px 10px", maxWidth: "26rem" },
    ".cm-diagnostic": { padding: "4px 8px" },
    ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
    ".cm-lintRange-error": {
      backgroundImage: "none",
      textDecoration: "underline wavy var(--bad)",
      textDecorationSkipInk: "none",
    },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.definition(tags.propertyName), fontWeight: "600" },
      { tag: [tags.number, tags.bool, tags.null], color: "var(--accent)" },
      { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
      { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--muted)" },
    ]),
  ),
];

const basics: Extension = [
  yaml(),
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
  editorLooks,
];

function completeBy({ complete }: Props["language"]) {
  return (context: CompletionContext) => {
    const { from, options } = complete(context.state.doc.toString(), context.pos);
    // Unless Ctrl+Space is pressed, the completion list opens only while the user types, or where a value is missing.
    const isDue = from < context.pos || /[:[{,-] $|[[{]$/.test(context.state.sliceDoc(Math.max(0, from - 2), from));
    if (options.length === 0 || !(context.explicit || isDue)) return null;
    return {
      from,
      validFor: /^[\w.]*$/,
      options: options.map(({ label, insert, kind, detail, info }) => ({
        label,
        apply: insert,
        detail,
        type: kind,
        ...(info && { info }),
      })),
    };
  };
}

function toTooltip(described: Completion | undefined, pos: number) {
  if (!described) return null;
  const create = () => {
    const dom = document.createElement("div");
    dom.textContent = [described.detail && `${described.label}: ${described.detail}`, described.info]
      .filter(Boolean)
      .join(". ");
    return { dom };
  };
  return { pos, above: true, create };
}

function toDiagnostic(doc: Text, { path, message, line }: InputIssue) {
  if (line === undefined || line > doc.lines) return [];
  const { from, to, text } = doc.line(line);
  const start = from + text.length - text.trimStart().length;
  const where = path === "" ? message : `${path}: ${message}`;
  return [{ from: start, to, severity: "error" as const, message: where }];
}
