"use client";
import { useState } from "react";
import { classes } from "#app/_ui/classes.ts";
import { shadeColor, type ShadeHue } from "./shadeColor.ts";

export type TokenMark = {
  text: string;
  /** Intensity of the token's background colour, from 0 to 1; null if the token has no value. */
  shade: number | null;
  /** Description of the token in one line, shown while the token is hovered, focused or selected. */
  about: string;
};

type Props = {
  label: string;
  tokens: readonly TokenMark[];
  hue: ShadeHue;
  /** True for a language model's tokens, word pieces with spaces and line breaks, which are shown as running text. */
  isProse?: boolean;
  /** Index of the selected token; the page shows its details outside this component. */
  chosen?: number | undefined;
  onChoose?: (index: number) => void;
};

/** Shows tokens with coloured backgrounds, and the description of the pointed or focused one. */
export function Tokens({ label, tokens, hue, isProse = false, chosen, onChoose }: Props) {
  const [pointed, setPointed] = useState<number>();
  const about = tokens[pointed ?? chosen ?? -1];
  return (
    <div>
      <ul
        aria-label={label}
        onPointerLeave={() => setPointed(undefined)}
        className={classes(
          "font-mono text-xs",
          isProse ? "leading-6 break-words" : "flex flex-wrap gap-x-0.5 gap-y-1 leading-5",
        )}
      >
        {tokens.map(({ text, shade }, i) => (
          <li key={i} className={classes(isProse && "inline")}>
            <button
              type="button"
              aria-pressed={onChoose && i === chosen}
              onPointerEnter={() => setPointed(i)}
              onFocus={() => setPointed(i)}
              onBlur={() => setPointed(undefined)}
              onClick={() => (onChoose ? onChoose(i) : setPointed(i))}
              className={classes(
                "rounded-sm",
                isProse ? "max-w-full whitespace-pre-wrap outline" : "border px-1 whitespace-pre",
                i === (pointed ?? chosen) ? "border-edge outline-edge" : "border-line outline-line/60",
                shade === null && "border-dashed",
              )}
              style={{ background: shadeColor(hue, shade ?? 0) }}
            >
              {isProse ? showLines(text) : text}
            </button>
            {isProse && text.includes("\n") && <br />}
          </li>
        ))}
      </ul>
      <p className="mt-1.5 min-h-5 text-xs text-muted">
        {about && (
          <>
            <code className="font-mono text-text">{isProse ? showToken(about.text) : about.text}</code> {about.about}
          </>
        )}
      </p>
    </div>
  );
}

/** Replaces line breaks in a token by a visible sign; the layout starts a new line after the token. */
function showLines(text: string): string {
  return text.replaceAll("\n", "↵");
}

export function ShadeLegend({ hue, from, to }: { hue: Props["hue"]; from: string; to: string }) {
  return (
    <span className="inline-flex items-center gap-2 text-xs text-muted">
      {from}
      <span
        aria-hidden="true"
        className="h-3 w-20 rounded-sm border border-line"
        style={{
          background: `linear-gradient(to right, transparent, ${shadeColor(hue, 1)})`,
        }}
      />
      {to}
    </span>
  );
}

const visible: Readonly<Record<string, string>> = { "\n": "↵", "\r": "␍", "\t": "⇥", " ": "␣" };

/** Makes a token's line breaks, tabs, and leading and trailing spaces visible; inner spaces stay plain. */
export function showToken(text: string): string {
  return text.replaceAll(/^ +| +$|[\n\r\t]/g, (match) => Array.from(match, (sign) => visible[sign] ?? sign).join(""));
}
