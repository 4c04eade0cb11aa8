import type { AuditEntry } from "#server/db/auditEntries.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <Table caption="Changes, the newest first">
      <thead>
        <tr>
          <HeadCell>When</HeadCell>
          <HeadCell>Who</HeadCell>
          <HeadCell>What</HeadCell>
          <HeadCell>About</HeadCell>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, at, who, action, subject, problem }) => (
          <tr key={id}>
            <Cell className="whitespace-nowrap text-muted">
              <Ago at={at} />
            </Cell>
            <Cell className="whitespace-nowrap">{who}</Cell>
            <Cell className="whitespace-nowrap">
              <code>{action}</code>
            </Cell>
            <Cell className="min-w-56 break-words">
              {subject}
              {problem !== null && <div className="text-sm text-bad">Refused: {problem}</div>}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
