/** Caches a pure function. The cache is emptied once it has `most` entries. */
export function remember<Value>(compute: (text: string) => Value, most = 20_000): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = compute(text);
    if (known.size >= most) known.clear();
    known.set(text, value);
    return value;
  };
}
