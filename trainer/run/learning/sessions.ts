/** Open sessions of compiled graphs, within a memory budget. */
export type SessionPool = {
  /** The session of this name, made at first use. `bytes` is its memory. */
  at<S extends Closable>(name: string, bytes: number, make: () => Promise<S>): Promise<S>;
  close(): Promise<void>;
};

type Closable = { close(): Promise<void> };

/**
 * Sessions keep the memory of their largest run. The least recently used are closed when a new one would exceed the
 * budget. One session is always allowed, whatever its size.
 */
export function makeSessionPool(budgetBytes: number): SessionPool {
  /** In order of last use, the least recent first. */
  const open = new Map<string, { session: Promise<Closable>; bytes: number }>();
  const total = (): number => [...open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    async at<S extends Closable>(name: string, bytes: number, make: () => Promise<S>): Promise<S> {
      const known = open.get(name);
      open.delete(name);
      for (const [other, { session }] of open) {
        if (known || total() + bytes <= budgetBytes) break;
        open.delete(other);
        await (await session).close();
      }
      const session = known ? (known.session as Promise<S>) : make();
      open.set(name, { session, bytes });
      return session;
    },
    async close() {
      for (const { session } of open.values()) await (await session).close();
      open.clear();
    },
  };
}
