/** Cuts a stream of bytes into lines; the last piece is kept until its end comes. */
export function makeLineCutter(onLine: (line: string) => void) {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    push(bytes: Uint8Array): void {
      rest += decoder.decode(bytes, { stream: true });
      // A progress bar rewrites its line with carriage returns.
      const lines = rest.split(/\r\n|\n|\r/);
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
      // A program that never ends its line would fill the memory.
      if (rest.length > maxLineLength) rest = "";
    },
    /** What is left is a line too: nothing more comes. */
    end(): void {
      if (rest !== "") onLine(rest);
      rest = "";
    },
  };
}

const maxLineLength = 1 << 20;
