import { Icon } from "./Icon.tsx";
import { type StateName, states } from "./states.ts";

/** States that charts, tables and alarms show, worst first; the other names of `states` are states of the process. */
const stability = [
  "collapsed",
  "collapsed, recovered",
  "unstable",
  "warning",
  "unclear",
  "dip",
  "recovered",
  "healthy",
  "not judged yet",
  "not judged",
] as const;
const process = ["pending", "starting", "running", "unknown", "finished", "failed", "cancelled"] as const;

/** Key of the signs of runs' states, folded, for beside a table or charts. */
export function StateKey() {
  return (
    <details className="text-xs text-muted">
      <summary className="w-fit cursor-pointer">Signs of the states</summary>
      <div className="mt-1 max-w-prose">
        <StateList />
      </div>
    </details>
  );
}

export function StateList() {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-3 gap-y-1">
      {[...stability, ...process].map((name) => (
        <Entry key={name} name={name} />
      ))}
    </dl>
  );
}

function Entry({ name }: { name: StateName }) {
  const { title, icon, color, meaning } = states[name];
  return (
    <>
      <dt className="flex items-center gap-1.5 font-medium text-text">
        <span style={{ color }}>
          <Icon name={icon} className="size-3.5" />
        </span>
        {title}
      </dt>
      <dd>{meaning}</dd>
    </>
  );
}
