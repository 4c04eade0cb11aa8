import type { Hashed, PythonSet, Slot, Value } from "./value.ts";

const linearProbes = 9;

export function makeSetTable(): PythonSet {
  return { slots: Array.from<Slot>({ length: 8 }), mask: 7, fill: 0, used: 0, finger: 0 };
}

export function hasKey(table: PythonSet, hashed: Hashed): boolean {
  return findSlot(table, hashed).isFound;
}

export function addKey(table: PythonSet, hashed: Hashed, value: Value): void {
  const { index, deleted, isFound } = findSlot(table, hashed);
  if (isFound) return;
  table.used++;
  table.slots[deleted ?? index] = { ...hashed, value };
  if (deleted !== undefined) return;
  table.fill++;
  if (table.fill * 5 >= table.mask * 3) resize(table, table.used > 50_000 ? table.used * 2 : table.used * 4);
}

export function deleteKey(table: PythonSet, hashed: Hashed): boolean {
  const { index, isFound } = findSlot(table, hashed);
  if (!isFound) return false;
  table.slots[index] = "deleted";
  table.used--;
  return true;
}

/** The values in the order of their slots. */
export function valuesOf(table: PythonSet): Value[] {
  return entriesOf(table).map(({ value }) => value);
}

export function entriesOf(table: PythonSet): (Hashed & { value: Value })[] {
  return table.slots.flatMap((slot) => (slot === undefined || slot === "deleted" ? [] : [slot]));
}

/** The next value out of the table, from where the last one was taken on. */
export function popKey(table: PythonSet): Value | undefined {
  if (table.used === 0) return undefined;
  for (let i = table.finger & table.mask; ; i = (i + 1) & table.mask) {
    const slot = table.slots[i];
    if (slot === undefined || slot === "deleted") continue;
    table.slots[i] = "deleted";
    table.used--;
    table.finger = i + 1;
    return slot.value;
  }
}

/** Adds all of another table: into an empty one of its size they go slot for slot. */
export function mergeTable(table: PythonSet, other: PythonSet): void {
  if (other === table || other.used === 0) return;
  if ((table.fill + other.used) * 5 >= table.mask * 3) resize(table, (table.used + other.used) * 2);
  if (table.fill === 0 && table.mask === other.mask && other.fill === other.used) {
    table.slots = [...other.slots];
    table.fill = other.fill;
    table.used = other.used;
    return;
  }
  for (const entry of entriesOf(other)) addKey(table, entry, entry.value);
}

function resize(table: PythonSet, minUsed: number): void {
  let size = 8;
  while (size <= minUsed) size *= 2;
  const entries = entriesOf(table);
  table.slots = Array.from<Slot>({ length: size });
  table.mask = size - 1;
  table.fill = table.used;
  for (const entry of entries) table.slots[findFree(table, entry)] = entry;
}

type Found = { index: number; deleted: number | undefined; isFound: boolean };

/** Where a key is, or the free slot where the search for it ends, and a deleted one on the way. */
function findSlot(table: PythonSet, { key, hash, high }: Hashed): Found {
  const probe = makeProbe(table.mask, hash, high);
  let deleted: number | undefined;
  for (;;) {
    const start = probe.index;
    const last = start + linearProbes <= table.mask ? start + linearProbes : start;
    for (let i = start; i <= last; i++) {
      const slot = table.slots[i];
      if (slot === undefined) return { index: i, deleted, isFound: false };
      if (slot === "deleted") deleted ??= i;
      else if (slot.key === key) return { index: i, deleted, isFound: true };
    }
    advance(probe, table.mask);
  }
}

function findFree(table: PythonSet, { hash, high }: Hashed): number {
  const probe = makeProbe(table.mask, hash, high);
  for (;;) {
    const start = probe.index;
    const last = start + linearProbes <= table.mask ? start + linearProbes : start;
    for (let i = start; i <= last; i++) if (table.slots[i] === undefined) return i;
    advance(probe, table.mask);
  }
}

type Probe = { index: number; low: number; high: number };

function makeProbe(mask: number, low: number, high: number): Probe {
  return { index: (low & mask) >>> 0, low, high };
}

/** perturb >>= 5; index = index * 5 + 1 + perturb, in 64 bits of which the mask keeps few. */
function advance(probe: Probe, mask: number): void {
  probe.low = ((probe.low >>> 5) | (probe.high << 27)) >>> 0;
  probe.high >>>= 5;
  probe.index = ((Math.imul(probe.index, 5) + 1 + probe.low) & mask) >>> 0;
}
