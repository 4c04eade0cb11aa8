import type { Guard } from "./guard.ts";

/** Copy of the interpreter's state: its memory up to the end of the heap, and its stack pointer. */
export type Snapshot = { readonly bytes: Uint8Array; readonly stack: number };

/** Access to CPython's C functions and memory through the exports of its WebAssembly module. Addresses are numbers. */
export type Interpreter = ReturnType<typeof bindInterpreter>;

export function bindInterpreter({ exports, memory }: ReturnType<Guard["interpreter"]>) {
  const bytes = (): Uint8Array => new Uint8Array(memory.buffer);

  function call(name: string, ...args: number[]): number {
    const exported = exports[name];
    if (typeof exported !== "function") throw new Error(`the interpreter has no function ${name}`);
    return Number(Reflect.apply(exported, undefined, args));
  }

  /** Copies a text into memory with a terminating zero, and returns its address. */
  function text(value: string): number {
    const encoded = new TextEncoder().encode(value);
    const address = call("malloc", encoded.length + 1);
    if (address === 0) throw new Error(`the interpreter has no memory for ${encoded.length} bytes`);
    bytes().set([...encoded, 0], address);
    return address;
  }

  function textAt(address: number): string {
    const all = bytes();
    return new TextDecoder().decode(all.subarray(address, all.indexOf(0, address)));
  }

  const surrogates = text("surrogatepass");
  const littleEndian = call("malloc", 4);
  new DataView(memory.buffer).setInt32(littleEndian, -1, true);

  return {
    call,
    text,
    /** Makes a Python `str` from a text. A lone surrogate is kept, as in Python. */
    string(value: string): number {
      const encoded = Buffer.from(value, "utf16le");
      const address = call("malloc", encoded.length + 1);
      if (address === 0) throw new Error(`the interpreter has no memory for ${encoded.length} bytes`);
      bytes().set(encoded, address);
      const made = call("PyUnicode_DecodeUTF16", address, encoded.length, surrogates, littleEndian);
      call("free", address);
      return made;
    },
    /** Reads the text of a Python `str`; empty if the object is missing or cannot be encoded. */
    read(string: number): string {
      const address = string === 0 ? 0 : call("PyUnicode_AsUTF8", string);
      return address === 0 ? "" : textAt(address);
    },
    textAt,
    write(address: number, values: Uint8Array): void {
      bytes().set(values, address);
    },
    snapshot(): Snapshot {
      return { bytes: bytes().slice(0, call("sbrk", 0)), stack: call("stackSave") };
    },
    restore({ bytes: before, stack }: Snapshot): void {
      // Memory is enlarged through malloc, so that Emscripten registers the growth; the block is overwritten below.
      while (memory.buffer.byteLength < before.length) call("malloc", before.length - memory.buffer.byteLength);
      const end = call("sbrk", 0);
      const all = bytes();
      all.set(before);
      if (end > before.length) all.fill(0, before.length, end);
      call("stackRestore", stack);
    },
  };
}
