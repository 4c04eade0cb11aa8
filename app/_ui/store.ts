export type Store<Value> = {
  read: () => Value;
  write: (next: Value) => void;
  subscribe: (listener: () => void) => () => void;
};

/** Makes a value outside React state, for `useSyncExternalStore`; writing the same value notifies nobody. */
export function makeStore<Value>(first: Value, isSame: (a: Value, b: Value) => boolean = Object.is): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    read: () => value,
    write: (next) => {
      if (isSame(value, next)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
