import type { Connection, Pool, Submittable } from "pg";
import { withClient } from "./inTransaction.ts";

/** Functions that read the fields of a result row, one after the other; NULL becomes 0 (integer) or null (bytes). */
export type Fields = { integer: () => number; bytes: () => Buffer | null };

/**
 * Reads the rows of a query in PostgreSQL's binary format. Ordinary results are text, with bytes as hexadecimal
 * digits that are decoded twice; for points, the binary format is four times cheaper. COPY has no parameters, so
 * `sql` may contain constant numbers but never a user's text.
 */
export async function copyOut<Row>(pool: Pool, sql: string, readRow: (fields: Fields) => Row): Promise<Row[]> {
  const answer = await withClient(
    pool,
    (client) =>
      new Promise<Buffer>((resolve, reject) => {
        client.query(makeCopy(`COPY (${sql}) TO STDOUT (FORMAT binary)`, { resolve, reject }));
      }),
  );
  return readRows(answer, readRow);
}

type Outcome = { resolve: (answer: Buffer) => void; reject: (error: Error) => void };

// Creates a custom query of the pg library, which calls these handlers when messages of the server arrive.
function makeCopy(text: string, { resolve, reject }: Outcome): Submittable {
  let answer = Buffer.allocUnsafe(1 << 16);
  let length = 0;
  const ignore = () => {};
  return Object.assign(
    { submit: (connection: Connection) => connection.query(text) },
    {
      // The pg library reuses the buffer of a chunk (usually one row). A chunk is therefore copied, once, into a
      // growing buffer.
      handleCopyData: ({ chunk }: { chunk: Buffer }) => {
        if (length + chunk.length > answer.length) {
          const larger = Buffer.allocUnsafe(2 * (length + chunk.length));
          answer.copy(larger, 0, 0, length);
          answer = larger;
        }
        answer.set(chunk, length);
        length += chunk.length;
      },
      handleReadyForQuery: () => resolve(answer.subarray(0, length)),
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

/**
 * Parses the rows after the header of PostgreSQL's binary COPY format. A row has a field count, then each field's
 * length (−1: NULL) and bytes; a count of −1 ends the data.
 */
function readRows<Row>(answer: Buffer, readRow: (fields: Fields) => Row): Row[] {
  const rows: Row[] = [];
  let at = headerBytes;
  const skipField = (): number => {
    const length = answer.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length;
  };
  const fields: Fields = {
    integer: () => (skipField() === -1 ? 0 : answer.readInt32BE(at - 4)),
    bytes: () => {
      const length = skipField();
      return length === -1 ? null : answer.subarray(at - length, at);
    },
  };
  while (answer.readInt16BE(at) !== -1) {
    at += 2;
    rows.push(readRow(fields));
  }
  return rows;
}
