import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Editor theme in the page's own colours, which follow light and dark. Hue is reserved for methods and states. */
export const editorLooks = [
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
