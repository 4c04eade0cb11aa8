import { Link } from "#app/_ui/Link.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = {
  /** Ids in the address that no sweep has. */
  missing: readonly string[];
  /** The requested page, and sweeps that it could show instead, newest first. */
  path: string;
  sweeps: readonly { id: string; name: string }[];
};

const maxNamed = 10;
const maxOffered = 5;

/** Names the sweeps of an address that do not exist, and links to existing ones. Renders nothing if all exist. */
export function MissingSweeps({ missing, path, sweeps }: Props) {
  if (missing.length === 0) return null;
  const named = missing.slice(0, maxNamed).map((id) => `“${id.length > 60 ? `${id.slice(0, 60)}…` : id}”`);
  const numMore = missing.length - named.length;
  return (
    <div className="mb-4">
      <Notice tone="warn">
        <p className="break-words">
          There is no sweep {named.join(", ")}
          {numMore > 0 && ` and ${numMore} more`}: deleted, or the link is wrong.
        </p>
        <p className="mt-1">
          <Link href="/sweeps" className="underline">
            All sweeps
          </Link>
          {sweeps.slice(0, maxOffered).map(({ id, name }) => (
            <span key={id}>
              {" · "}
              <Link href={`${path}?sweep=${encodeURIComponent(id)}`} className="underline">
                {name}
              </Link>
            </span>
          ))}
        </p>
      </Notice>
    </div>
  );
}
