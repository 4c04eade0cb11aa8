/** What the language is made of here: nothing that reads a clock, holds raw memory or computes without being counted. */
export const intrinsics = {
  BaseObjects: true,
  Eval: true,
  JSON: true,
  RegExp: true,
  RegExpCompiler: true,
  MapSet: true,
  StringNormalize: true,
  Promise: true,
  Date: false,
  Proxy: false,
  TypedArrays: false,
  BigInt: false,
};

/** Powers of large integers take seconds that nobody counts, and these literals cannot be switched off. */
export const bigIntLiteral = /(?<![\w$.])(?:\d[\d_]*|0[xob][\da-f_]+)n\b/i;

/**
 * Run before a program. Chance goes, and every way to make code from text, so that all code was there, and its nesting
 * bounded, when the program was read. Methods that run through an array's length without being counted take arrays
 * only, and none with more holes than memory has room for values.
 */
export const hardening = `(() => {
  const { print, Reflect: { apply, ownKeys }, Array: { isArray, prototype } } = globalThis;
  for (const made of [() => {}, function* () {}, async () => {}, async function* () {}]) {
    delete Object.getPrototypeOf(made).constructor;
  }
  delete globalThis.eval;
  delete globalThis.Function;
  delete globalThis.BigInt;
  delete Math.random;
  delete String.raw;
  const check = (array) => {
    if (array.length > 20000) throw new RangeError("invalid array length");
  };
  const define = (on, name, value) => Object.defineProperty(on, name, { value, configurable: true, writable: true });
  for (const name of ownKeys(prototype)) {
    const method = prototype[name];
    if (typeof method !== "function" || name === "constructor" || name === "push" || name === "pop") continue;
    define(prototype, name, function (...values) {
      if (!isArray(this)) throw new TypeError("not an array");
      check(this);
      if (name === "concat") for (const value of values) if (isArray(value)) check(value);
      return apply(method, this, values);
    });
  }
  define(prototype, "flat", function (depth = 1) {
    return [].concat(...this.map((value) => (depth > 1 && isArray(value) ? value.flat(depth - 1) : value)));
  });
  define(prototype, "flatMap", function (f, owner) {
    return this.map(f, owner).flat();
  });
  define(globalThis, "print", (text) => print(String(text)));
})()`;
