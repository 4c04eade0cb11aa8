import { split } from "#trainer/spec/rng.ts";

/** Maximum memory of the interpreter and one program, in bytes. The interpreter alone takes 18 MB. */
const maxMemoryBytes = 128 * 2 ** 20;
/** Number of jumps and calls after which CPython polls for interrupts, which the host counts as operations. */
const operationsPerPoll = 50;
/** Number of operations charged to a program for each reading of the clock. */
const operationsPerLook = 10;
/** Time in ms since 1970 at which every program's clock starts: noon of 1 January 2024 UTC. */
export const startMs = 1_704_110_400_000;
const noSuchFile = -44;
const readOnlyFileSystem = -69;

/** Error thrown at the limit of operations. The program cannot catch it; its memory is restored afterwards. */
export class Exhausted extends Error {}

type Import = (...args: number[]) => unknown;

/**
 * Makes a deterministic substitute for the interpreter's host. A counter ends the program and alone advances its
 * clock. Random numbers are a fixed stream, files are read-only, and memory is limited.
 */
export function makeHost(pathAt: (address: number) => string, write: (address: number, bytes: Uint8Array) => void) {
  const counter = makeCounter();
  const files = makeFiles(pathAt);
  let output = makeOutput(0);
  let decoder = new TextDecoder();
  let chance = split(0, "python");

  function fillWithChance(address: number, length: number): number {
    write(
      address,
      Uint8Array.from({ length }, () => chance.int(256)),
    );
    return 0;
  }

  const replacements: Record<string, (original: Import) => Import> = {
    _Py_CheckEmscriptenSignals_Helper: () => counter.poll,
    emscripten_date_now: () => () => startMs + counter.readClock(),
    emscripten_get_now: () => counter.readClock,
    emscripten_get_now_res: () => () => 0.1,
    _emscripten_get_now_is_monotonic: () => () => 1,
    emscripten_resize_heap:
      (original) =>
      (size = 0) =>
        size > maxMemoryBytes ? 0 : original(size),
    getentropy:
      () =>
      (address = 0, length = 0) =>
        fillWithChance(address, length),
    __syscall_openat: files.replaceOpen,
    fd_close: files.replaceClose,
  };
  return {
    /** Returns the substitute for an imported host function, or undefined if there is none. */
    replace: (name: string, original: Import): Import | undefined =>
      Object.hasOwn(replacements, name) ? replacements[name]?.(original) : undefined,
    print(bytes: Uint8Array): number {
      output.print(decoder.decode(bytes, { stream: true }));
      return bytes.length;
    },
    begin(maxOperations: number, maxOutputChars: number): void {
      counter.begin(maxOperations);
      output = makeOutput(maxOutputChars);
      decoder = new TextDecoder();
      chance = split(0, "python");
    },
    end(): { stdout: string; isTimeout: boolean } {
      const isTimeout = counter.end();
      files.closeAll();
      return { stdout: output.text(), isTimeout };
    },
  };
}

/** Counts a program's operations and throws `Exhausted` beyond its limit. The program's clock advances with them. */
function makeCounter() {
  let [operationsLeft, clockMs, isTimeout] = [Infinity, 0, false];

  function count(numOperations: number): void {
    operationsLeft -= numOperations;
    if (operationsLeft >= 0) return;
    isTimeout = true;
    throw new Exhausted();
  }

  return {
    poll: (): number => {
      clockMs += 0.05;
      count(operationsPerPoll);
      return 0;
    },
    /** Reads the program's clock, charged as operations, because a sleeping program reads the clock repeatedly. */
    readClock: (): number => {
      clockMs += 0.1;
      count(operationsPerLook);
      return clockMs;
    },
    begin(maxOperations: number): void {
      [operationsLeft, clockMs, isTimeout] = [maxOperations, 0, false];
    },
    /** Stops counting at a program's end. Returns true if the program exceeded its limit of operations. */
    end(): boolean {
      operationsLeft = Infinity;
      return isTimeout;
    },
  };
}

/** Makes a program's access to files: read-only, without devices. Files left open are closed at the end. */
function makeFiles(pathAt: (address: number) => string) {
  const openFiles = new Set<number>();
  let close: Import = () => 0;

  function open(original: Import, args: number[]): unknown {
    const [, path = 0, flags = 0] = args;
    const [writeOnly, readWrite, create, truncate] = [1, 2, 0o100, 0o1000];
    if ((flags & (writeOnly | readWrite | create | truncate)) !== 0) return readOnlyFileSystem;
    if (pathAt(path).startsWith("/dev/")) return noSuchFile;
    const file = original(...args);
    if (typeof file === "number" && file >= 0) openFiles.add(file);
    return file;
  }

  return {
    replaceOpen:
      (original: Import): Import =>
      (...args) =>
        open(original, args),
    replaceClose: (original: Import): Import => {
      close = original;
      return (file = -1) => {
        openFiles.delete(file);
        return original(file);
      };
    },
    closeAll(): void {
      for (const file of openFiles) close(file);
      openFiles.clear();
    },
  };
}

/** Makes a buffer for a program's output, which keeps at most `limit` characters: the beginning and the end. */
function makeOutput(limit: number) {
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
    /** Returns the output. If its middle was dropped, a line of three dots replaces it. */
    text(): string {
      return isCut ? `${head}\n...\n${tail}` : head + tail;
    },
  };
}
