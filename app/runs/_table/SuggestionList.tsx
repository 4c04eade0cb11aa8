import { classes } from "#app/_ui/classes.ts";
import type { Suggestion } from "./completeWord.ts";

type Props = {
  id: string;
  suggestions: readonly Suggestion[];
  chosen: number;
  onTake: (suggestion: Suggestion) => void;
};

export function SuggestionList({ id, suggestions, chosen, onTake }: Props) {
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
          // mousedown fires before the input loses its focus, which would close the list.
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
