import { split } from "#trainer/spec/rng.ts";
import { makeOutput } from "./output.ts";

/** All that the interpreter and one program may hold, in bytes. The interpreter alone takes 18 MB of it. */
const maxMemoryBytes = 128 * 2 ** 20;
/** CPython asks at every so many jumps and calls whether it is to be interrupted. */
const operationsPerPoll = 50;
/** A look at the clock costs as much as so many. */
const operationsPerLook = 10;
/** Noon of 1 January 2024 UTC. */
export const startMs = 1_704_110_400_000;
const noSuchFile = -44;
const readOnlyFileSystem = -69;

/** The program has used up its operations. Nothing in it can catch this: what it did to its memory is put back. */
export class Exhausted extends Error {}

/**
 * What stands in for the host: a counter that ends the program, a clock that only the counter advances, chance that is always
 * the same, files that can be read and not written, and a bound on memory.
 */
export function makeHost(pathAt: (address: number) => string, write: (address: number, bytes: Uint8Array) => void) {
  let [operationsLeft, clockMs, isTimeout] = [Infinity, 0, false];
  let output = makeOutput(0);
  let decoder = new TextDecoder();
  let chance = split(0, "python");
  const openFiles = new Set<number>();
  let close: (file: number) => unknown = () => 0;

  function count(numOperations: number): void {
    operationsLeft -= numOperations;
    if (operationsLeft >= 0) return;
    isTimeout = true;
    throw new Exhausted();
  }

  function poll(): number {
    clockMs += 0.05;
    count(operationsPerPoll);
    return 0;
  }

  /** A program that sleeps reads the clock again and again. */
  function readClock(): number {
    clockMs += 0.1;
    count(operationsPerLook);
    return clockMs;
  }

  function open(original: (...args: number[]) => unknown, args: number[]): unknown {
    const [, path = 0, flags = 0] = args;
    const [writeOnly, readWrite, create, truncate] = [1, 2, 0o100, 0o1000];
    if ((flags & (writeOnly | readWrite | create | truncate)) !== 0) return readOnlyFileSystem;
    if (pathAt(path).startsWith("/dev/")) return noSuchFile;
    const file = original(...args);
    if (typeof file === "number" && file >= 0) openFiles.add(file);
    return file;
  }

  return {
    /** The function that replaces an import; undefined where none does. */
    replace(name: string, original: (...args: number[]) => unknown): ((...args: number[]) => unknown) | undefined {
      switch (name) {
        case "_Py_CheckEmscriptenSignals_Helper":
          return poll;
        case "emscripten_date_now":
          return () => startMs + readClock();
        case "emscripten_get_now":
          return readClock;
        case "emscripten_get_now_res":
          return () => 0.1;
        case "_emscripten_get_now_is_monotonic":
          return () => 1;
        case "emscripten_resize_heap":
          return (size) => (size > maxMemoryBytes ? 0 : original(size));
        case "getentropy":
          return (address, length) => {
            write(
              address,
              Uint8Array.from({ length }, () => chance.int(256)),
            );
            return 0;
          };
        case "__syscall_openat":
          return (...args) => open(original, args);
        case "fd_close":
          close = original;
          return (file) => {
            openFiles.delete(file);
            return original(file);
          };
        default:
          return undefined;
      }
    },
    print(bytes: Uint8Array): number {
      output.print(decoder.decode(bytes, { stream: true }));
      return bytes.length;
    },
    begin(maxOperations: number, maxOutputChars: number): void {
      [operationsLeft, clockMs, isTimeout] = [maxOperations, 0, false];
      output = makeOutput(maxOutputChars);
      decoder = new TextDecoder();
      chance = split(0, "python");
    },
    end(): { stdout: string; isTimeout: boolean } {
      operationsLeft = Infinity;
      for (const file of openFiles) close(file);
      openFiles.clear();
      return { stdout: output.text(), isTimeout };
    },
  };
}
