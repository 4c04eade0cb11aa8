import type { PoolClient } from "pg";
import { consecutivePoints, sparsePoints, timedPoints, type PointLine } from "./pointWrites.ts";

type Owner = {
  attemptId: number;
  /** Whether the times of points are kept, as of runs that report over the tracking protocol. */
  hasTimes: boolean;
};

/**
 * Writes many lines of an attempt as blocks, the same that compaction makes of hot rows, for a fifth of the time; call it
 * in the transaction that moves the attempt's log offset. The attempt has no hot rows: theirs would be older than these.
 */
export async function appendBlocks(client: PoolClient, owner: Owner, lines: readonly PointLine[]): Promise<void> {
  const columns = [...toColumns(lines)].sort(([a], [b]) => a - b);
  const blocks = columns.flatMap(([metricId, column]) => {
    return cut(column, owner).map((block) => ({ metricId, block, isPlain: isConsecutive(block.iterations) }));
  });
  const all = blocks.map(({ block }) => block);
  const sparse = blocks.flatMap(({ block, isPlain }) => (isPlain ? [] : block.iterations));
  let sparseBefore = 0;
  const iterationsAt = blocks.map(({ block, isPlain }) => {
    if (isPlain) return null;
    sparseBefore += block.iterations.length;
    return 4 * (sparseBefore - block.iterations.length);
  });
  let before = 0;
  const pointsAt = all.map(({ seqs }) => (before += seqs.length) - seqs.length);
  // Numbers are the bytes that float8send and int4send make, all blocks' in one value, of which each takes its part.
  // Blocks do without optimizer steps, but a line whose step no column takes is refused here as it is as a hot row.
  await client.query(
    `INSERT INTO metric_block
       (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, iterations, values, times)
     SELECT $1, id, first_seq, last_seq, first_iteration, last_iteration, n,
       substring($10::bytea FROM iterations_at + 1 FOR 4 * n), substring($11::bytea FROM 8 * at + 1 FOR 8 * n),
       substring($12::bytea FROM 8 * at + 1 FOR 8 * n)
     FROM unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[])
       AS block(id, first_seq, last_seq, first_iteration, last_iteration, n, at, iterations_at)
     WHERE $13::int IS NOT NULL`,
    [
      owner.attemptId,
      blocks.map(({ metricId }) => metricId),
      all.map(({ seqs }) => seqs[0]),
      all.map(({ seqs }) => seqs.at(-1)),
      all.map(({ iterations }) => least(iterations)),
      all.map(({ iterations }) => greatest(iterations)),
      all.map(({ seqs }) => seqs.length),
      pointsAt,
      iterationsAt,
      Buffer.from(Int32Array.from(sparse).buffer).swap32(),
      toBytes(all.flatMap(({ values }) => values)),
      owner.hasTimes ? toBytes(all.flatMap(({ times }) => times)) : null,
      greatest(lines.map(({ optimizerStep }) => optimizerStep)),
    ],
  );
}

/** One metric's points by seq. */
type Column = { seqs: number[]; iterations: number[]; values: number[]; times: number[] };

function toColumns(lines: readonly PointLine[]): Map<number, Column> {
  const columns = new Map<number, Column>();
  for (const { seq, iteration, atMs, metricIds, values } of lines) {
    for (const [i, id] of metricIds.entries()) {
      let column = columns.get(id);
      if (column === undefined) columns.set(id, (column = { seqs: [], iterations: [], values: [], times: [] }));
      column.seqs.push(seq);
      column.iterations.push(iteration);
      column.values.push(values[i] ?? NaN);
      column.times.push(atMs);
    }
  }
  return columns;
}

function cut(column: Column, { hasTimes }: Owner): Column[] {
  const isPlain = isConsecutive(column.iterations);
  const size = hasTimes ? timedPoints : isPlain ? consecutivePoints : sparsePoints;
  return Array.from({ length: Math.ceil(column.seqs.length / size) }, (_, i) => {
    const part = (numbers: readonly number[]) => numbers.slice(i * size, (i + 1) * size);
    const { seqs, iterations, values, times } = column;
    return { seqs: part(seqs), iterations: part(iterations), values: part(values), times: part(times) };
  });
}

function isConsecutive(iterations: readonly number[]): boolean {
  const [first = 0] = iterations;
  return iterations.every((iteration, i) => iteration === first + i);
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}

function greatest(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), -Infinity);
}

/** Most significant byte first, as PostgreSQL sends numbers. −0 becomes 0, as in the text that hot rows are sent as. */
function toBytes(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * numbers.length);
  for (const [i, x] of numbers.entries()) bytes.writeDoubleBE(x + 0, 8 * i);
  return bytes;
}
