"use client";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { StateList } from "#app/_ui/StateKey.tsx";
import { goKeys } from "./keys.ts";

const everywhere: readonly [string, string][] = [
  ["Ctrl K, ⌘ K", "Search and commands"],
  ["/", "Search on this page"],
  ["?", "This list of shortcuts"],
  ["Esc", "Close the open dialog or menu"],
];
const lists: readonly [string, string][] = [
  ["j, k", "Next, previous row"],
  ["x", "Select the row (in the run table, Shift selects a range)"],
  ["Enter", "Open the row"],
  ["Shift ←, →", "Move the focused column of the run table"],
];

export function KeyList({ onClose }: { onClose: () => void }) {
  const going = Array.from(goKeys, ([key, { title }]): [string, string] => [`g ${key}`, title]);
  return (
    <Dialog open isText title="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        <div className="space-y-4">
          <KeyGroup title="Everywhere" keys={everywhere} />
          <KeyGroup title="Lists and tables" keys={lists} />
        </div>
        <KeyGroup title="Go to" keys={going} />
      </div>
      <p className="mt-4 text-sm text-muted">While you type in a field, only Ctrl K and ⌘ K work.</p>
      <h3 className="mt-4 mb-1 text-sm font-semibold">Signs of the states</h3>
      <div className="text-sm">
        <StateList />
      </div>
    </Dialog>
  );
}

function KeyGroup({ title, keys }: { title: string; keys: readonly [string, string][] }) {
  return (
    <section>
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      <dl className="grid grid-cols-[6.5rem_1fr] gap-y-1 text-sm">
        {keys.map(([key, meaning]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-edge/60 px-1 font-mono text-xs">{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
