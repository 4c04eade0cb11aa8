import { useState } from "react";
import { isMethodName, methodNames, methods, type MethodName } from "#trainer/spec/method.ts";
import { colourIndex, methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import { describePoint } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { comparedNames, findMethods, groupMethods } from "#server/domain/plan/sweep/methods/groupMethods.ts";
import {
  resolveMethod,
  type MethodChoice,
  type MethodVariant,
} from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { formatCount } from "#packages/base";
import { Button } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { Chips, type Chip } from "./Chips.tsx";
import { setMethods, toggleMethod } from "./draft/edits.ts";
import { hasGrid, listIn, methodsIn } from "./draft/sweepFile.ts";
import { Problems, useForm } from "./form.tsx";

const isCompared = (name: MethodName) => comparedNames.includes(name);

/** Offers ARLArena's methods and, on demand, all others, grouped by the dimension that they change. */
export function Methods() {
  const { file, edit } = useForm();
  const chosen = methodsIn(file);
  const [query, setQuery] = useState("");
  const [isMore, setMore] = useState(false);
  const found = findMethods(query);
  const others = found.filter((name) => !isCompared(name));
  const isShown = (name: MethodName) => isMore || query !== "" || chosen.includes(name);
  const variants = chosen.flatMap((choice) => (typeof choice === "string" ? [] : [choice]));
  const names = variants.map(({ name }) => name);
  const toggle = (value: string) => {
    const choice = isMethodName(value) ? value : variants.find(({ name }) => `variant ${name}` === value);
    if (choice !== undefined) edit(toggleMethod(file, choice));
  };
  const first = toGroups(chosen, found.filter(isCompared));
  const second = toGroups(chosen, others.filter(isShown));
  // An empty form has no method, which is not shown as an error.
  const isEmpty = listIn(file, ["methods"]).length === 0 && !hasGrid(file);
  return (
    <section aria-label="Methods" id="section-methods" className="flex scroll-mt-16 flex-col gap-2">
      <Head query={query} onQuery={setQuery} />
      {(first.length > 0 || variants.length > 0) && (
        <Chips
          label="Methods of ARLArena"
          groups={[
            ...first,
            ...(variants.length > 0
              ? [{ title: "Your own", chips: variants.map((variant) => toChip(variant, names)) }]
              : []),
          ]}
          onToggle={toggle}
        />
      )}
      {query === "" && (
        <div className="flex flex-wrap items-start gap-x-4 text-sm">
          <button
            type="button"
            aria-expanded={isMore}
            className="flex items-center gap-1 text-accent hover:underline"
            onClick={() => setMore(!isMore)}
          >
            <Icon name="chevron" className={isMore ? "size-3.5 rotate-90" : "size-3.5"} />
            {isMore ? "Fewer" : `More (${methodNames.length - comparedNames.length})`}
          </button>
          <ChosenMethods />
        </div>
      )}
      {second.length > 0 && <Chips label="Other methods" groups={second} onToggle={toggle} />}
      {found.length === 0 && <p className="text-sm text-muted">No matches</p>}
      {isEmpty ? (
        <p className="text-sm text-muted">Choose a method, or tick levels of the four dimensions.</p>
      ) : (
        <Problems field="methods" />
      )}
    </section>
  );
}

function Head({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  const { file, edit } = useForm();
  const numChosen = methodsIn(file).length;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <h2 className="font-semibold">Methods</h2>
      <span className="mr-auto text-sm text-muted">{numChosen} chosen</span>
      <Input
        type="search"
        aria-label="Find a method"
        placeholder="Find a method"
        className="max-w-44"
        value={query}
        onChange={({ target }) => onQuery(target.value)}
      />
      <Button onClick={() => edit(setMethods(file, comparedNames))}>ARLArena&apos;s {comparedNames.length}</Button>
      <Button onClick={() => edit(setMethods(file, methodNames))}>All {methodNames.length}</Button>
      <Button disabled={numChosen === 0} onClick={() => edit({ ...file, methods: [] })}>
        None
      </Button>
    </div>
  );
}

function toGroups(chosen: readonly MethodChoice[], list: readonly MethodName[]) {
  return groupMethods(list).map(({ title, names }) => ({
    title,
    chips: names.map((name): Chip => ({
      value: name,
      label: methods[name].title,
      title: methods[name].summary,
      isChosen: chosen.includes(name),
      colour: methodColour(colourIndex(methods[name].title)),
    })),
  }));
}

function toChip(variant: MethodVariant, names: readonly string[]): Chip {
  return {
    value: `variant ${variant.name}`,
    label: variant.name,
    title: `${describe(variant)} Click to remove this method.`,
    isChosen: true,
    colour: methodColour(colourIndex(variant.name, names)),
  };
}

function describe(choice: MethodChoice): string {
  return typeof choice === "string" ? methods[choice].summary : `${describePoint(resolveMethod(choice).method)}.`;
}

function ChosenMethods() {
  const { file } = useForm();
  const chosen = methodsIn(file);
  if (chosen.length === 0) return null;
  return (
    <details className="min-w-0 flex-1">
      <summary className="text-muted">Explain {formatCount(chosen.length, "chosen method")}</summary>
      <ul className="mt-1 flex flex-col gap-1">
        {chosen.map((choice) => (
          <li key={resolveMethod(choice).label}>
            <strong className="font-medium">{resolveMethod(choice).label}</strong>{" "}
            <span className="text-muted">{describe(choice)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
