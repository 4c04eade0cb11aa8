"use client";
import { useState } from "react";
import { classes } from "#app/_ui/classes.ts";
import { showToken } from "./showToken.ts";
import { shadeColor, type ShadeHue } from "./shadeColor.ts";

export type TokenMark = {
  text: string;
  /** 0 to 1; null where nothing is known of the token. */
  shade: number | null;
  /** One line, shown while the token is pointed at or chosen. */
  about: string;
};

type Props = {
  label: string;
  tokens: readonly TokenMark[];
  hue: ShadeHue;
  /** A language model's tokens are parts of words and hold its spaces and lines: they stand as the text that they make up. */
  isProse?: boolean;
  /** With these, the token of which more is shown elsewhere. */
  chosen?: number | undefined;
  onChoose?: (index: number) => void;
};

/** Tokens in their order, shaded, with a line about the one pointed at: by mouse, finger or keyboard. */
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

/** Line breaks as a sign: the line that they end is broken behind the token. */
function showLines(text: string): string {
  return text.replaceAll("\n", "↵");
}

/** What the shades mean, from one end to the other. */
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
