import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { type Field, metricOf } from "#server/domain/runs/table/field.ts";
import type { FieldIndex } from "#server/domain/runs/table/findField.ts";
import { flagWords } from "#server/domain/runs/table/resolveFilter.ts";
import { type FilterProblem, quote, splitWords, unquote } from "#server/domain/runs/table/splitWords.ts";
import { Input } from "#app/_ui/Input.tsx";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { classes } from "#app/_ui/classes.ts";

type Props = {
  text: string;
  onText: (text: string) => void;
  problems: readonly FilterProblem[];
  fields: readonly Field[];
  index: FieldIndex;
};

/** Text field for the run table's filter with completion: ↓ and ↑ choose, Enter or Tab accepts, Esc closes. */
export function FilterBox({ text, onText, problems, ...known }: Props) {
  const id = useId();
  const { input, suggestions, chosen, take, onKeyDown, onWrite, onLeave } = useCompletion({ text, onText, ...known });
  return (
    <div className="relative min-w-0 flex-1 basis-72">
      <Input
        ref={input}
        role="combobox"
        aria-label="Filter runs"
        aria-expanded={suggestions.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-list-${chosen}` : undefined}
        aria-describedby={`${id}-problems`}
        aria-invalid={problems.length > 0}
        data-filter
        spellCheck={false}
        placeholder='Filter: method:gspo lr<1e-3 collapsed tag:paper success>50 sweep:"table 3" -failed'
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          onWrite(target.selectionStart ?? target.value.length);
        }}
        onKeyDown={onKeyDown}
        onBlur={onLeave}
      />
      <SuggestionList id={`${id}-list`} suggestions={suggestions} chosen={chosen} onTake={take} />
      <div id={`${id}-problems`} role="status">
        {problems.map(({ start, message }) => (
          <p key={start} className="mt-1 text-sm text-bad">
            {message}
          </p>
        ))}
      </div>
    </div>
  );
}

function useCompletion({ text, onText, fields, index }: Omit<Props, "problems">) {
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number>();
  const [chosen, setChosen] = useState(-1);
  const completing = caret === undefined ? undefined : findCompleting(text, caret, index);
  const suggestions = useSuggestions(completing, fields);
  const num = suggestions.length;
  const take = ({ text: suggestion }: Suggestion) => {
    if (!completing) return;
    const isWhole = completing.kind === "value" || !suggestion.endsWith(":");
    const word = completing.before + suggestion + (isWhole ? " " : "");
    onText(text.slice(0, completing.start) + word + text.slice(completing.end).trimStart());
    const position = completing.start + word.length;
    setChosen(-1);
    setCaret(isWhole ? undefined : position);
    requestAnimationFrame(() => input.current?.setSelectionRange(position, position));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return num > 0 ? setCaret(undefined) : input.current?.blur();
    if (num === 0) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setChosen(event.key === "ArrowDown" ? (chosen + 1) % num : (Math.max(chosen, 0) + num - 1) % num);
    }
    const suggestion = suggestions[event.key === "Tab" ? Math.max(0, chosen) : chosen];
    if ((event.key === "Enter" || event.key === "Tab") && suggestion) {
      event.preventDefault();
      take(suggestion);
    }
  };
  const onWrite = (position: number) => {
    setCaret(position);
    setChosen(-1);
  };
  return { input, suggestions, chosen, take, onKeyDown, onWrite, onLeave: () => setCaret(undefined) };
}

const maxSuggested = 8;
/** Pause in ms after the last keystroke before suggestions are fetched, so that the filtered rows are fetched first. */
const pauseMs = 120;

/** Returns suggestions: field names at once, and values of a field once they are fetched from the runs. */
function useSuggestions(completing: Completing | undefined, fields: readonly Field[]): Suggestion[] {
  const trpc = useTrpc();
  const isValue = completing?.kind === "value" && completing.field.type !== "duration";
  const field = useSettled(isValue ? completing.field.key : undefined, pauseMs);
  const text = useSettled(isValue ? completing.text : undefined, pauseMs);
  const { data } = useQuery(
    trpc.runTable.values.queryOptions(
      { field: field ?? "method", text: text ?? "" },
      { enabled: field !== undefined && text !== undefined, placeholderData: keepPreviousData },
    ),
  );
  if (completing?.kind === "name")
    return flagWords.has(completing.text) ? [] : suggestNames(completing.text, fields, maxSuggested);
  // Until the values of this field arrive, the data contains values of the previously typed field.
  if (!isValue || field !== completing.field.key) return [];
  const wanted = completing.text.toLowerCase();
  // A whole value needs no suggestions, which would cover the first rows.
  if (data?.some(({ value }) => value.toLowerCase() === wanted)) return [];
  return (data ?? [])
    .filter(({ value }) => value.toLowerCase().includes(wanted))
    .slice(0, maxSuggested)
    .map(({ value, count }) => ({ text: quote(value), title: String(count) }));
}

type SuggestionListProps = {
  id: string;
  suggestions: readonly Suggestion[];
  chosen: number;
  onTake: (suggestion: Suggestion) => void;
};

function SuggestionList({ id, suggestions, chosen, onTake }: SuggestionListProps) {
  return (
    <ul
      id={id}
      role="listbox"
      aria-label="Suggestions"
      hidden={suggestions.length === 0}
      className="absolute z-30 mt-1 w-full max-w-xl rounded-md border border-line bg-surface p-1 text-sm shadow-lg"
    >
      {suggestions.map((suggestion, i) => (
        <li
          key={suggestion.text}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          className={classes(
            "flex cursor-pointer justify-between gap-3 rounded px-2 py-1",
            i === chosen && "bg-sunken",
          )}
          // Handles mousedown, because it fires before the blur that closes the list.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(suggestion);
          }}
        >
          <span className="truncate">{suggestion.text}</span>
          <span className="truncate text-muted">{suggestion.title}</span>
        </li>
      ))}
    </ul>
  );
}

/** Debounces a value: returns it once it has been unchanged for `delayMs`, until then the previous value. */
function useSettled<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

/** Word at the text cursor that can be completed: a field name, or a value of a field. */
type Completing = { start: number; end: number; before: string } & (
  | { kind: "name"; text: string }
  | { kind: "value"; field: Field; text: string }
);

/** Returns the word in or after which the text cursor is; undefined if there is none or its field is unknown. */
export function findCompleting(filter: string, caret: number, index: FieldIndex): Completing | undefined {
  const word = splitWords(filter).words.find(({ start, end }) => start < caret && caret <= end);
  if (!word) return undefined;
  const written = filter.slice(word.start, caret);
  const [, sign = "", name = "", operator = "", value = ""] =
    /^(-?)([^"\s:=<>!]*)(?:(<=|>=|!=|[:=<>])(.*))?$/s.exec(written) ?? [];
  const where = { start: word.start, end: word.end };
  if (operator === "") return name === "" ? undefined : { ...where, kind: "name", text: name, before: sign };
  const field = index.find(name);
  if (!field) return undefined;
  const comma = value.lastIndexOf(",") + 1;
  const before = `${sign}${name}${operator}${value.slice(0, comma)}`;
  return { ...where, kind: "value", field, text: unquote(value.slice(comma)), before };
}

type Suggestion = { text: string; title: string };

/** Suggests fields and state words whose name or title contains the text; names that begin with it come first. */
export function suggestNames(text: string, fields: readonly Field[], limit: number): Suggestion[] {
  const [, at] = /^(at\d+\.)/i.exec(text) ?? [];
  if (at !== undefined) return suggestMetricsAt(at, { text: text.slice(at.length), fields, limit });
  const plain = text.toLowerCase();
  const flags = [...flagWords.keys()].map((word) => ({ text: word, title: "a state", isField: false }));
  const names = fields.map(({ key, title }) => ({ text: key, title, isField: true }));
  const rank = (one: Suggestion) => {
    const name = one.text.toLowerCase();
    const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("/")) + 1);
    if (name.startsWith(plain)) return 0;
    if (last.startsWith(plain)) return 1;
    return name.includes(plain) || one.title.toLowerCase().includes(plain) ? 2 : 3;
  };
  return [...names, ...flags]
    .filter((one) => rank(one) < 3)
    .toSorted((a, b) => rank(a) - rank(b) || a.text.length - b.text.length)
    .slice(0, limit)
    .map(({ text, title, isField }) => ({ text: isField ? `${text}:` : text, title }));
}

/** Suggests metric names after an iteration prefix: `at40.succ` is completed to `at40.evaluation/successRate:`. */
function suggestMetricsAt(
  at: string,
  { text, fields, limit }: { text: string; fields: readonly Field[]; limit: number },
): Suggestion[] {
  const metrics = fields.flatMap((field) => {
    const named = metricOf(field.key);
    const title = field.title.replace(/, final$/, `, at ${at.slice(2, -1)}`);
    return named?.rule === "final" ? [{ ...field, key: named.metric, title }] : [];
  });
  // Raises the limit by the number of state words, which are not metrics and are removed afterwards.
  return suggestNames(text, metrics, limit + flagWords.size)
    .filter((one) => one.text.endsWith(":"))
    .slice(0, limit)
    .map((one) => ({ ...one, text: `${at}${one.text}` }));
}
