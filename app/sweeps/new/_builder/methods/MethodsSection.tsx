"use client";
import { methods, methodNames, type MethodName } from "#trainer/spec/method.ts";
import { describePoint } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { resolveMethod, type MethodChoice } from "#server/domain/plan/sweep/methodChoice.ts";
import { colourIndex } from "#server/domain/plan/sweep/colours.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { methodColour } from "#app/_ui/methodColour.ts";
import { formatCount } from "#app/_charts/format.ts";
import type { Draft } from "../draft/draft.ts";
import { setMethods, toggleMethod } from "../draft/edits.ts";
import { comparedNames, groupMethods } from "./groupMethods.ts";

type Props = { draft: Draft; edit: (draft: Draft) => void; problems: readonly string[] };

/** Beyond this number, the explanations of the chosen methods are folded. */
const maxExplained = 6;

/** Published methods as chips, grouped by the dimension they change; each chosen method is explained in one line. */
export function MethodsSection({ draft, edit, problems }: Props) {
  const variants = draft.methods.flatMap((choice) => (typeof choice === "string" ? [] : [choice.name]));
  const numChosen = draft.methods.length;
  const explanations = (
    <ul className="mt-2 flex flex-col gap-1 text-sm">
      {draft.methods.map((choice) => (
        <ChosenMethod
          key={resolveMethod(choice).label}
          choice={choice}
          names={variants}
          onRemove={() => edit(toggleMethod(draft, choice))}
        />
      ))}
    </ul>
  );
  return (
    <Card title="Methods" actions={<Choices draft={draft} edit={edit} />}>
      <div role="group" aria-label="Published methods" className="grid gap-x-4 gap-y-2 sm:grid-cols-[9rem_1fr]">
        {groupMethods().map(({ title, names }) => (
          <div key={title} className="grid gap-1 sm:col-span-2 sm:grid-cols-subgrid sm:items-baseline">
            <span className="text-xs text-muted">{title}</span>
            <div className="flex flex-wrap gap-1.5">
              {names.map((name) => (
                <MethodToggle
                  key={name}
                  name={name}
                  isChosen={draft.methods.includes(name)}
                  onToggle={() => edit(toggleMethod(draft, name))}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      {[...new Set(problems)].map((problem) => (
        <p key={problem} className={classes("mt-2 text-sm", isMissing(problem) ? "text-muted" : "text-bad")}>
          {isMissing(problem) ? "Choose a method, or tick levels of the dimensions." : problem}
        </p>
      ))}
      {numChosen > 0 && (
        <details className="mt-3 border-t border-line pt-2" open={numChosen <= maxExplained}>
          <summary className="text-sm text-muted">{formatCount(numChosen, "chosen method")}, in one line each</summary>
          {explanations}
        </details>
      )}
    </Card>
  );
}

/** A form that was just opened has no method yet: that is its first step, and no mistake. */
function isMissing(problem: string): boolean {
  return problem.startsWith("has 0");
}

/** Chooses many methods at once. Variants stay, except with None. */
function Choices({ draft, edit }: Pick<Props, "draft" | "edit">) {
  return (
    <>
      <Button
        title="The methods that ARLArena's tables compare, without those for a stale or rounded sampler"
        onClick={() => edit(setMethods(draft, comparedNames))}
      >
        ARLArena&apos;s {comparedNames.length}
      </Button>
      <Button onClick={() => edit(setMethods(draft, methodNames))}>All {methodNames.length}</Button>
      <Button disabled={draft.methods.length === 0} onClick={() => edit({ ...draft, methods: [] })}>
        None
      </Button>
    </>
  );
}

type ToggleProps = { name: MethodName; isChosen: boolean; onToggle: () => void };

function MethodToggle({ name, isChosen, onToggle }: ToggleProps) {
  const { title, summary } = methods[name];
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      title={summary}
      onClick={onToggle}
      className={classes(
        "inline-flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm",
        isChosen ? "border-accent bg-accent/10 font-medium" : "border-edge/60 hover:bg-sunken",
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
          {typeof choice === "string" ? methods[choice].summary : `Custom point: ${describePoint(method)}.`}
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
