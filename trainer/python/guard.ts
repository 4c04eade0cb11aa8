/**
 * Functions of the host that the WebAssembly interpreter may call while a program runs: arithmetic on its memory,
 * exceptions, and reading the files in its memory. WebAssembly reaches its host only through imported functions, and
 * all other imports are refused. CPython 3.11 under Emscripten imports some 300 functions and needs these.
 */
const allowed: ReadonlySet<string> = new Set([
  // These make calls through function pointers, and count the parameters of the called function.
  "_PyEM_TrampolineCall_JS",
  "_PyImport_InitFunc_TrampolineCall",
  "_PyEM_CountFuncParams",
  "_PyEM_detect_type_reflection",
  // CPython's evaluation loop calls this function at intervals, by which the host counts operations.
  "_Py_CheckEmscriptenSignals_Helper",
  // These implement jumps in C code, copies of memory, and the limit of memory.
  "_emscripten_throw_longjmp",
  "emscripten_memcpy_js",
  "emscripten_get_heap_max",
  // These calendar functions convert a given time.
  "_gmtime_js",
  "_localtime_js",
  "_mktime_js",
  "_timegm_js",
  "_tzset_js",
  "strftime",
  "strftime_l",
  // These access files in memory; `makeHost` replaces `__syscall_openat` and `fd_close`.
  "__syscall_faccessat",
  "__syscall_fcntl64",
  "__syscall_fstat64",
  "__syscall_getcwd",
  "__syscall_getdents64",
  "__syscall_ioctl",
  "__syscall_lstat64",
  "__syscall_newfstatat",
  "__syscall_readlinkat",
  "__syscall_stat64",
  "environ_get",
  "environ_sizes_get",
  "fd_close",
  "fd_fdstat_get",
  "fd_pread",
  "fd_read",
  "fd_seek",
  "fd_write",
]);

/** Error thrown when a program calls a function of the host that is not allowed. */
export class Refused extends Error {
  constructor(name: string) {
    super(`the program called ${name}, which reaches outside it`);
  }
}

type Import = (...args: number[]) => unknown;

export type Guard = {
  /** `isRunning` is set while a program runs; only then are imports refused. */
  guard: { isRunning: boolean };
  /** Returns exports and memory of the interpreter, the first WebAssembly module instantiated with a memory. */
  interpreter: () => { exports: WebAssembly.Exports; memory: WebAssembly.Memory };
  /** Restores WebAssembly's own functions, so that modules instantiated later are not guarded. */
  release: () => void;
};

/**
 * Guards the imports of every WebAssembly module instantiated from now on: while a program runs, imports that are not
 * allowed throw `Refused`. Host functions of Emscripten's small helper modules, which `ctypes` would find in the
 * function table, are guarded too.
 * @param replace returns a substitute for an import, or undefined
 */
export function guardImports(replace: (name: string, original: Import) => Import | undefined): Guard {
  const guard = { isRunning: false };
  const { instantiate, Instance } = WebAssembly;
  let interpreter: ReturnType<Guard["interpreter"]> | undefined;
  const guarded = (name: string, value: unknown): unknown => {
    if (!isFunction(value)) return value;
    const replacement = replace(name, value);
    if (replacement !== undefined) return replacement;
    if (allowed.has(name) || name.startsWith("invoke_")) return value;
    return (...args: number[]) => {
      if (guard.isRunning) throw new Refused(name);
      return value(...args);
    };
  };
  const wrap = (imports: WebAssembly.Imports = {}): WebAssembly.Imports =>
    Object.fromEntries(
      Object.entries(imports).map(([module, values]) => [
        module,
        module.startsWith("GOT.")
          ? values
          : new Proxy(values, { get: (_, name) => guarded(String(name), values[String(name)]) }),
      ]),
    );
  class GuardedInstance extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, wrap(imports));
    }
  }
  async function guardedInstantiate(source: BufferSource | WebAssembly.Module, imports?: WebAssembly.Imports) {
    const isModule = source instanceof WebAssembly.Module;
    const module = isModule ? source : await WebAssembly.compile(source);
    const instance = await instantiate(module, wrap(imports));
    const memory = imports?.["env"]?.["memory"];
    if (memory instanceof WebAssembly.Memory) interpreter ??= { exports: instance.exports, memory };
    return isModule ? instance : { module, instance };
  }
  Object.assign(WebAssembly, { instantiate: guardedInstantiate, Instance: GuardedInstance });
  return {
    guard,
    interpreter() {
      if (interpreter === undefined) throw new Error("no module with a memory was instantiated");
      return interpreter;
    },
    release: () => void Object.assign(WebAssembly, { instantiate, Instance }),
  };
}

function isFunction(value: unknown): value is Import {
  return typeof value === "function";
}
