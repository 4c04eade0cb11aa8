"use client";
import { memo, type CSSProperties, type KeyboardEvent } from "react";
import type { GroupTurn } from "#server/api/runs/groups.ts";
import { shadeColor } from "#app/_components/shadeColor.ts";
import { showToken } from "#app/_components/Tokens.tsx";
import { classes } from "#app/_ui/classes.ts";
import { type Effect, effectOf, effects } from "./prepareGroups.ts";

/** Lines and letters that show fates without colour. Masked tokens are struck through. */
const lines: Readonly<Partial<Record<Effect, string>>> = {
  clippedHigh: "overline decoration-2",
  clippedLow: "underline decoration-2 underline-offset-2",
  clippedDual: "underline decoration-double underline-offset-2",
  maskedToken: "line-through",
  maskedRow: "line-through decoration-dashed",
  maskedGroup: "line-through decoration-dotted",
  unknown: "border-dashed",
};

type TokenProps = { effect: Effect; gradient: number | null; maxGradient: number };

function lookOf({ effect, gradient, maxGradient }: TokenProps): { className: string; style?: CSSProperties } {
  const className = classes("rounded-sm border border-line px-0.5", lines[effect]);
  if (gradient === null || gradient === 0 || maxGradient === 0) return { className };
  const shade = 0.25 + 0.75 * Math.min(1, Math.abs(gradient) / maxGradient);
  return { className, style: { background: shadeColor(gradient < 0 ? "accent" : "warn", shade) } };
}

type Props = {
  label: string;
  turn: GroupTurn;
  maxGradient: number;
  /** Index of the token whose numbers are shown; undefined if it is in another turn. */
  shown: number | undefined;
  onShow: (token: number) => void;
};

/** Response of one turn, coloured by what the loss did. Pointer or arrow keys choose the token that is described. */
export const GroupTokens = memo(function GroupTokens({ label, turn, maxGradient, shown, onShow }: Props) {
  const { tokens } = turn;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(tokens.text.length - 1, (shown ?? -1) + step));
    onShow(next);
    event.currentTarget
      .querySelector(`[data-token="${next}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const show = (target: EventTarget) => {
    const index = target instanceof HTMLElement ? target.dataset["token"] : undefined;
    if (index !== undefined) onShow(Number(index));
  };
  return (
    <div
      role="group"
      aria-label={label}
      tabIndex={0}
      onFocus={() => shown === undefined && onShow(0)}
      onKeyDown={move}
      onPointerOver={({ target }) => show(target)}
      className="flex flex-wrap gap-x-0.5 gap-y-1 font-mono text-xs leading-5 [contain-intrinsic-size:auto_120px] [content-visibility:auto]"
    >
      {tokens.text.map((text, i) => {
        const effect = effectOf(tokens, i);
        const { className, style } = lookOf({ effect, gradient: tokens.gradient[i] ?? null, maxGradient });
        return (
          <span
            key={i}
            data-token={i}
            className={classes(
              className,
              "max-w-full break-all whitespace-pre-wrap",
              i === shown && "outline-2 outline-accent",
            )}
            style={style}
          >
            {showToken(text)}
          </span>
        );
      })}
    </div>
  );
});

/** Key of the effects that occur in the group. */
export function EffectKey({ present }: { present: ReadonlySet<Effect> }) {
  const shown = (Object.keys(effects) as Effect[]).filter((effect) => present.has(effect));
  return (
    <ul aria-label="Key: what the loss did with a token" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {shown.map((effect) => {
        const gradient = effect === "raised" ? -1 : effect === "lowered" ? 1 : null;
        const { className, style } = lookOf({ effect, gradient, maxGradient: 1 });
        return (
          <li key={effect}>
            <span aria-hidden="true" className={classes(className, "mr-1.5 font-mono text-text")} style={style}>
              abc
            </span>
            <span className="text-text">{effects[effect].label}</span>: {effects[effect].about}
          </li>
        );
      })}
    </ul>
  );
}
