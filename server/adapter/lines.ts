/** `isEnded`: its end came. `number`: of the line, from 1; parts that carriage returns separate have one. */
export type OnLine = (line: string, number: number, isEnded: boolean) => void;

/** Cuts a stream of bytes into lines; the last piece is kept until its end comes. */
export function makeLineCutter(onLine: OnLine) {
  const decoder = new TextDecoder();
  let rest = "";
  let number = 1;
  return {
    push(bytes: Uint8Array): void {
      rest += decoder.decode(bytes, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        // A progress bar rewrites its line with carriage returns.
        for (const part of line.split("\r")) if (part !== "") onLine(part, number, true);
        number += 1;
      }
      const lastReturn = rest.lastIndexOf("\r");
      if (lastReturn === -1 || lastReturn === rest.length - 1) {
        cutLong();
        return;
      }
      for (const part of rest.slice(0, lastReturn).split("\r")) if (part !== "") onLine(part, number, true);
      rest = rest.slice(lastReturn + 1);
      cutLong();
    },
    /** Ends the stream: a remaining line without an end is unfinished. */
    end(): void {
      for (const part of rest.split("\r")) if (part !== "") onLine(part, number, rest.endsWith("\r"));
      rest = "";
    },
  };
  function cutLong(): void {
    // A program that never ends its line would fill the memory.
    if (rest.length > maxLineLength) rest = "";
  }
}

const maxLineLength = 1 << 20;
