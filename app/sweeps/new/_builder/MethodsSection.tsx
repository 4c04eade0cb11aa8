"use client";
import { methodNames, methodOf, methods, whyNotRunnable, type MethodName } from "#trainer/spec/method.ts";
import { describePoint } from "#server/domain/sweep/dimensions.ts";
import { resolveMethod, type MethodChoice } from "#server/domain/sweep/methodChoice.ts";
import { colourIndex } from "#server/domain/sweep/colours.ts";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { methodColour } from "#app/_ui/methodColour.ts";
import type { Draft } from "./draft.ts";
import { toggleMethod } from "./edits.ts";

type Props = { draft: Draft; edit: (draft: Draft) => void; problem: string | undefined };

/** The published methods as chips; what is chosen is explained in one line each. */
export function MethodsSection({ draft, edit, problem }: Props) {
  const variants = draft.methods.filter((choice) => typeof choice !== "string");
  const blocked = methodNames.filter((name) => whyNotRunnable(methodOf(name)));
  return (
    <Card title="Methods">
      <div className="flex flex-wrap gap-1.5" role="group" aria-label="Published methods">
        {methodNames.map((name) => (
          <MethodToggle
            key={name}
            name={name}
            isChosen={draft.methods.includes(name)}
            onToggle={() => edit(toggleMethod(draft, name))}
          />
        ))}
      </div>
      {blocked.map((name) => (
        <p key={name} className="mt-2 text-xs text-muted">
          {methods[name].title} is not available yet: {whyNotRunnable(methodOf(name))}.
        </p>
      ))}
      {problem && draft.methods.length > 0 && <p className="mt-2 text-sm text-bad">{problem}</p>}
      {draft.methods.length > 0 && (
        <ul className="mt-3 flex flex-col gap-1 border-t border-line pt-3 text-sm">
          {draft.methods.map((choice) => (
            <ChosenMethod
              key={resolveMethod(choice).label}
              choice={choice}
              names={variants.map(({ name }) => name)}
              onRemove={() => edit(toggleMethod(draft, choice))}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

type ToggleProps = { name: MethodName; isChosen: boolean; onToggle: () => void };

function MethodToggle({ name, isChosen, onToggle }: ToggleProps) {
  const { title, summary } = methods[name];
  const why = whyNotRunnable(methodOf(name));
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      disabled={why !== undefined && !isChosen}
      title={why ?? summary}
      onClick={onToggle}
      className={classes(
        "inline-flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm",
        "disabled:cursor-not-allowed disabled:border-dashed disabled:text-muted disabled:line-through",
        isChosen ? "border-accent bg-accent/10 font-medium" : "border-edge/60 enabled:hover:bg-sunken",
      )}
    >
      <span
        aria-hidden="true"
        className="size-2 rounded-full"
        style={{ background: methodColour(colourIndex(title)), opacity: isChosen ? 1 : 0.35 }}
      />
      {title}
    </button>
  );
}

type ChosenProps = { choice: MethodChoice; names: readonly string[]; onRemove: () => void };

function ChosenMethod({ choice, names, onRemove }: ChosenProps) {
  const { label, method } = resolveMethod(choice);
  return (
    <li className="flex items-baseline gap-2">
      <span
        aria-hidden="true"
        className="size-2 shrink-0 rounded-full"
        style={{ background: methodColour(colourIndex(label, names)) }}
      />
      <span className="min-w-0">
        <strong className="font-medium">{label}</strong>{" "}
        <span className="text-muted">
          {typeof choice === "string" ? methods[choice].summary : `A point of your own: ${describePoint(method)}.`}
        </span>
      </span>
      <button
        type="button"
        aria-label={`Remove ${label}`}
        onClick={onRemove}
        className="ml-auto shrink-0 self-center rounded p-0.5 text-muted hover:bg-sunken hover:text-text"
      >
        <Icon name="cross" className="size-3.5" />
      </button>
    </li>
  );
}
