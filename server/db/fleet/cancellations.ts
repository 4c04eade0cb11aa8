import type { PoolClient } from "pg";
import { z } from "zod";
import { AppError } from "#packages/base";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { Pooled } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readRows } from "../storage/readRows.ts";
import { refuseForeign } from "../plan/sweeps.ts";

/** Request to cancel: the user, and the seconds within which it can be undone before runs are stopped. */
export type Order = { by: string; undoSeconds?: number | undefined };

/** Returns the SQL condition that a database row (`sweep` or `run`) is cancelled but still within the undo period. */
export function isHeldSql(row: string): string {
  return `(${row}.intent = 'cancel' AND coalesce(${row}.cancel_at > now(), false))`;
}

const Target = z.object({ name: z.string(), sweepId: z.string(), origin: z.string(), status: z.string().nullable() });
type Kind = "sweep" | "run";

const targets: Record<Kind, string> = {
  sweep: `SELECT name, id AS "sweepId", origin, NULL AS status FROM sweep WHERE id = $1 FOR UPDATE`,
  run: `SELECT run.id AS name, sweep.id AS "sweepId", sweep.origin, run.status FROM run JOIN sweep ON sweep.id = run.sweep_id
        WHERE run.id = $1 FOR UPDATE OF run`,
};

/** Requests a stop. Meanwhile running runs continue and no run starts. Repetitions change neither time nor author. */
export async function cancel({ pool }: Pooled, of: { kind: Kind; id: string }, order: Order) {
  await inTransaction(pool, async (client) => {
    const { sweepId, status, origin } = await readTarget(client, of);
    refuseForeign({ origin });
    if (status !== null && isOver(status)) throw new AppError("conflict", `run ${of.id} is over (${status})`);
    await client.query(
      `UPDATE ${of.kind} SET intent_before = intent, intent = 'cancel', cancelled_by = $2,
         cancel_at = now() + $3::float8 * interval '1 second'
       WHERE id = $1 AND intent <> 'cancel'`,
      [of.id, order.by, order.undoSeconds ?? 0],
    );
    await tell(client, { ...of, sweepId, text: "cancellation asked for" });
  });
}

/** Undoes a cancellation that has not been executed yet. Throws `conflict` if there is none or it is too late. */
export async function takeBackCancel({ pool }: Pooled, of: { kind: Kind; id: string }): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { name, sweepId } = await readTarget(client, of);
    const { rowCount } = await client.query(
      `UPDATE ${of.kind} SET intent = coalesce(intent_before, 'run'), cancelled_by = NULL, intent_before = NULL, cancel_at = NULL
       WHERE id = $1 AND ${isHeldSql(of.kind)}`,
      [of.id],
    );
    if (rowCount !== 1) {
      const text = `${of.kind} ${name} has no cancellation that can be undone; retry its runs to continue`;
      throw new AppError("conflict", text);
    }
    await tell(client, { ...of, sweepId, text: "cancellation taken back" });
  });
}

async function readTarget(client: PoolClient, { kind, id }: { kind: Kind; id: string }) {
  const [target] = await readRows(client, Target, { sql: targets[kind], values: [id] });
  if (!target) throw new AppError("not_found", `there is no ${kind} ${id}`);
  return target;
}

/** Notifies open pages of a change to a sweep or run; for a run, also adds a line to its history. */
async function tell(
  client: PoolClient,
  { kind, id, sweepId, text }: { kind: Kind; id: string; sweepId: string; text: string },
): Promise<void> {
  if (kind === "run") {
    await client.query(
      "INSERT INTO status_event (run_id, source, status, text) SELECT id, 'user', status, $2 FROM run WHERE id = $1",
      [id, text],
    );
  }
  const news = kind === "run" ? { sweepId, runId: id, kind: "status" } : { sweepId, kind: "sweep" };
  await client.query("SELECT pg_notify('arlarena', $1)", [JSON.stringify(news)]);
}
