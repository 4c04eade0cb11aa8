/** Output of a program: complete while short, later its beginning and its end. */
export function makeOutput(limit: number) {
  const half = Math.floor(limit / 2);
  let [head, tail, isCut] = ["", "", false];
  return {
    print(text: string): void {
      const room = half - head.length;
      if (room > 0) head += text.slice(0, room);
      tail += room > 0 ? text.slice(room) : text;
      if (tail.length <= limit - half) return;
      tail = tail.slice(half - limit);
      isCut = true;
    },
    /** A line of three dots replaces the omitted middle. */
    text(): string {
      return isCut ? `${head}\n...\n${tail}` : head + tail;
    },
  };
}
