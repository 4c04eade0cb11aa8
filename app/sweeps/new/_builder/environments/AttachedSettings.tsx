import { isMethodName, methods } from "#trainer/spec/method.ts";
import type { PlannedDraft } from "../draft/draft.ts";
import { listAttached } from "./listAttached.ts";

type Props = { attached: NonNullable<PlannedDraft["attached"]>; onRemove: () => void };

/** Settings that the plan attaches to one environment; they take precedence over the sweep's in its runs. */
export function AttachedSettings({ attached, onRemove }: Props) {
  const titleOf = (name: string): string => (isMethodName(name) ? methods[name].title : name);
  return (
    <details className="mt-3 text-sm">
      <summary className="cursor-pointer text-muted hover:text-text">
        {listAttached(attached).length} settings for this environment alone
      </summary>
      <div className="mt-2 overflow-x-auto">
        <table>
          <tbody>
            {listAttached(attached).map(({ method, path, value }) => (
              <tr key={`${method} ${path}`}>
                <td className="pr-2 sm:pr-4 text-muted">{method === undefined ? "All methods" : titleOf(method)}</td>
                <td className="pr-2 sm:pr-4 font-mono text-xs">{path}</td>
                <td className="font-mono text-xs">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-2 text-muted">
        They are edited as YAML.{" "}
        <button type="button" className="hover:text-text hover:underline" onClick={onRemove}>
          Remove them
        </button>
      </p>
    </details>
  );
}
