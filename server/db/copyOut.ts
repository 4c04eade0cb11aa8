import type { Connection, Pool, Submittable } from "pg";
import { withClient } from "./withClient.ts";

/** A row as it travels: one field of bytes each, null for NULL. */
export type BinaryRow = readonly (Buffer | null)[];

/**
 * The rows of a query in PostgreSQL's binary format. Ordinary results come as text, in which bytes travel as hexadecimal
 * digits and are decoded twice; for points this is four times cheaper. COPY takes no parameters: `sql` may hold numbers
 * of ours, never a text of somebody's.
 */
export async function copyOut(pool: Pool, sql: string): Promise<BinaryRow[]> {
  const chunks = await withClient(
    pool,
    (client) =>
      new Promise<Buffer[]>((resolve, reject) => {
        client.query(makeCopy(`COPY (${sql}) TO STDOUT (FORMAT binary)`, { resolve, reject }));
      }),
  );
  return parseRows(Buffer.concat(chunks));
}

type Outcome = { resolve: (chunks: Buffer[]) => void; reject: (error: Error) => void };

// pg's protocol for queries of one's own: it calls these as the server's messages arrive.
function makeCopy(text: string, { resolve, reject }: Outcome): Submittable {
  const chunks: Buffer[] = [];
  const ignore = () => {};
  return Object.assign(
    { submit: (connection: Connection) => connection.query(text) },
    {
      // The chunk lies in a buffer that pg fills again.
      handleCopyData: ({ chunk }: { chunk: Buffer }) => chunks.push(Buffer.from(chunk)),
      handleReadyForQuery: () => resolve(chunks),
      handleError: reject,
      handleCommandComplete: ignore,
      handleRowDescription: ignore,
      handleDataRow: ignore,
      handleEmptyQuery: ignore,
      handlePortalSuspended: ignore,
    },
  );
}

const headerBytes = 19;

/** After the header, each row is a count of fields, then each field's length (−1: NULL) and bytes; −1 ends it all. */
function parseRows(bytes: Buffer): BinaryRow[] {
  const rows: BinaryRow[] = [];
  let at = headerBytes;
  for (;;) {
    const numFields = bytes.readInt16BE(at);
    at += 2;
    if (numFields === -1) return rows;
    const row = Array.from({ length: numFields }, () => {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length === -1) return null;
      at += length;
      return bytes.subarray(at - length, at);
    });
    rows.push(row);
  }
}
