/** `isEnded`: its line end has arrived. `number`: line number from 1; parts separated by carriage returns share it. */
export type OnLine = (line: string, number: number, isEnded: boolean) => void;

/** Splits a byte stream into lines; the last piece is kept until its end arrives. */
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
    /** Ends the stream; a remaining line without an end is passed on as unfinished. */
    end(): void {
      for (const part of rest.split("\r")) if (part !== "") onLine(part, number, rest.endsWith("\r"));
      rest = "";
    },
  };
  function cutLong(): void {
    // Without a limit, a line that never ends would fill the memory.
    if (rest.length > maxLineLength) rest = "";
  }
}

const maxLineLength = 1 << 20;
