import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import type { ModelWords } from "./prepareModel.ts";

/** Description of each pretrained model, and the part of its memory limit that a run takes. */
export function ModelNeeds({ models }: { models: readonly ModelWords[] }) {
  if (models.length === 0) return null;
  return (
    <ul className="flex flex-col gap-3" aria-label="Pretrained models">
      {models.map(({ key, name, what, memory }) => (
        <li key={key} className="flex min-w-0 flex-col gap-1 text-sm">
          <p className="break-words">
            <span className="font-medium break-all">{name}</span> <span className="text-muted">{what}</span>
          </p>
          {memory && (
            <>
              <ProgressBar
                label={`Memory of a run with ${name}, in megabytes`}
                parts={[
                  {
                    label: "needed",
                    count: Math.min(memory.neededMb, memory.limitMb),
                    tone: memory.neededMb > memory.limitMb ? "bad" : "accent",
                  },
                ]}
                total={memory.limitMb}
              />
              <p>{memory.text}</p>
              <p className="text-xs break-words text-muted">{memory.parts}</p>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
