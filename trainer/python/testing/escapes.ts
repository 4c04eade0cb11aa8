/**
 * Test program that tries to escape the interpreter, and its expected end: the last line of its traceback, or its
 * output if the attempt is harmless. A successful escape prints "reached" or leaves a trace on the host:
 * `globalThis.escaped`, the file `mark`, a connection to `port`.
 */
export type Escape = { by: string; source: string; ends: RegExp };

const refused = /^PermissionError: \[Errno 1\] Operation not permitted$/;
const missing = /^ModuleNotFoundError: No module named/;
const unsupported = /^(OSError: \[Errno \d+\] .* not support process|OSError: \[Errno \d+\] Function not implemented)/;

/** Python code that finds the interpreter's own JavaScript objects among all its objects. */
const proxies = `import gc
held = {id(found): found for o in gc.get_objects() for found in gc.get_referents(o)}.values()
found = [o for o in held if 'JsProxy' in str(type(o).__mro__) and not isinstance(o, type)]
assert len(found) > 0
`;
/** Python code that loads Pyodide's C module between Python and JavaScript without the import system. */
const core =
  "import _imp, types\nc = _imp.create_builtin(types.SimpleNamespace(name='_pyodide_core'))\n_imp.exec_builtin(c)\n";
/** Python code that calls a function of Emscripten or of the C library by name. */
const symbol = (call: string): string => `import ctypes\nprint('reached', ctypes.CDLL(None).${call})`;
const mark = "globalThis.escaped = 1";
const connect = "socket.socket().connect(('127.0.0.1', PORT))";

export const escapes: readonly Escape[] = [
  // Attempts to start processes:
  { by: "os.system", source: "import os; print('reached', os.system('touch MARK'))", ends: refused },
  { by: "os.popen", source: "import os; print('reached', os.popen('touch MARK').read())", ends: unsupported },
  {
    by: "subprocess",
    source: "import subprocess; print('reached', subprocess.run(['touch', 'MARK']))",
    ends: unsupported,
  },
  { by: "fork", source: "import os; print('reached', os.fork())", ends: unsupported },
  { by: "exec", source: "import os; os.execv('/bin/sh', ['sh', '-c', 'touch MARK'])", ends: /Exec format error$/ },
  {
    by: "spawn",
    source: "import os; print('reached', os.posix_spawn('/bin/sh', ['sh'], {}))",
    ends: /^AttributeError/,
  },
  { by: "kill", source: "import os; os.kill(os.getppid(), 9); print('reached')", ends: refused },
  { by: "_exit", source: "import os; os._exit(7)", ends: refused },
  { by: "abort", source: "import os; os.abort()", ends: refused },
  {
    by: "a thread",
    source: "import threading; threading.Thread(target=print, args=('reached',)).start()",
    ends: /can't start new thread$/,
  },
  {
    by: "multiprocessing",
    source: "import multiprocessing as m; m.Process(target=print, args=('reached',)).start()",
    ends: refused,
  },
  { by: "a segmentation fault", source: "import faulthandler; faulthandler._sigsegv()", ends: /^$/ },
  {
    by: "a timer",
    source: "import signal; signal.setitimer(signal.ITIMER_REAL, 1); print('reached')",
    ends: /^AttributeError/,
  },
  { by: "sleep", source: "import time; time.sleep(10 ** 6); print('reached')", ends: /^$/ },
  // Attempts to use the network:
  { by: "a socket", source: `import socket; ${connect}; print('reached')`, ends: refused },
  { by: "a socket of C", source: "import _socket; print('reached', _socket.socket(2, 1).listen())", ends: refused },
  { by: "a name", source: "import socket; print('reached', socket.gethostbyname('localhost'))", ends: refused },
  {
    by: "http",
    source: "import urllib.request as u; print('reached', u.urlopen('http://127.0.0.1:PORT').status)",
    ends: refused,
  },
  {
    by: "asyncio",
    source: "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', PORT)); print('reached')",
    ends: /running event loop$/,
  },
  {
    by: "a browser",
    source: "import webbrowser; webbrowser.open('http://127.0.0.1:PORT'); print('reached')",
    ends: missing,
  },
  // Attempts to reach JavaScript by name:
  { by: "js", source: "import js; js.eval('globalThis.escaped = 1')", ends: missing },
  { by: "pyodide_js", source: "import pyodide_js; print('reached', pyodide_js.FS)", ends: missing },
  { by: "pyodide.code", source: "from pyodide.code import run_js; run_js('globalThis.escaped = 1')", ends: missing },
  {
    by: "pyodide.http",
    source: "from pyodide.http import open_url; print('reached', open_url('http://127.0.0.1:PORT'))",
    ends: missing,
  },
  {
    by: "the finder of js",
    source: `${proxies}import sys\nsys.modules['js'] = found[0]\nimport js\njs.eval('${mark}')`,
    ends: refused,
  },
  {
    by: "importlib",
    source: "import importlib; importlib.import_module('js').eval('globalThis.escaped = 1')",
    ends: missing,
  },
  {
    by: "a forgotten loader",
    source: "import sys; print('reached', [m for m in sys.modules.values() if 'pyodide' in repr(m)][0])",
    ends: /^IndexError/,
  },
  // Attempts to reach JavaScript through built-in modules:
  { by: "_pyodide_core", source: "import _pyodide_core as c; print('reached', c.to_js([1]))", ends: missing },
  {
    by: "a call of _pyodide_core",
    source: `${core}c.raw_call(c.create_proxy(print))`,
    ends: refused,
  },
  { by: "a fatal error", source: `${core}c.trigger_fatal_error()`, ends: refused },
  {
    by: "a second _pyodide_core",
    source: `${core}print('reached', c.to_js([1]))`,
    ends: refused,
  },
  { by: "an attribute of a proxy", source: `${proxies}print('reached', found[0].process)`, ends: refused },
  { by: "a call of a proxy", source: `${proxies}found[0].constructor('${mark}')()`, ends: refused },
  {
    by: "the proxies' type",
    source: "t = [t for t in object.__subclasses__() if 'JsProxy' in t.__name__][0]\nprint('reached', t().constructor)",
    ends: /^TypeError: JsProxy cannot be instantiated/,
  },
  { by: "every proxy", source: `${proxies}for o in found: print('reached', dir(o))`, ends: refused },
  // Attempts to reach C libraries:
  { by: "a library", source: "import ctypes; ctypes.CDLL('/lib/libc.so')", ends: refused },
  { by: "system of C", source: symbol("system(b'touch MARK')"), ends: refused },
  { by: "emscripten_run_script", source: symbol("emscripten_run_script(b'globalThis.escaped = 1')"), ends: refused },
  {
    by: "emscripten_async_wget",
    source: symbol("emscripten_async_wget(b'http://127.0.0.1:PORT', b'/x', 0, 0)"),
    ends: refused,
  },
  { by: "EM_ASM", source: symbol("emscripten_asm_const_int(b'globalThis.escaped = 1', 0, 0)"), ends: refused },
  { by: "a callback of C", source: "import ctypes; ctypes.CFUNCTYPE(None)(lambda: print('reached'))()", ends: refused },
  {
    by: "a pointer into the table of functions",
    source: "import ctypes\nfor i in range(11000, 11400):\n ctypes.CFUNCTYPE(None)(i)()",
    ends: refused,
  },
  {
    by: "memory that is not there",
    source: "import ctypes; print('reached', ctypes.string_at(2 ** 31, 8))",
    ends: refused,
  },
  {
    by: "an extension",
    source:
      "import _imp, types; print('reached', _imp.create_dynamic(types.SimpleNamespace(name='x', origin='/lib/x.so')))",
    ends: refused,
  },
  {
    by: "made bytecode",
    source:
      "f = lambda: 0\nf.__code__ = f.__code__.replace(co_code=bytes([124, 255] * 4 + [83, 0]), co_nlocals=0)\nf()",
    ends: /^$/,
  },
  // Attempts to reach files of the host:
  { by: "a file of the host", source: "print('reached', open('/etc/passwd').read())", ends: /^FileNotFoundError/ },
  {
    by: "the host's file by its folder",
    source: "import os; print('reached', os.listdir('FOLDER'))",
    ends: /^FileNotFoundError/,
  },
  { by: "/proc", source: "print('reached', open('/proc/self/environ').read())", ends: /^FileNotFoundError/ },
  {
    by: "a device",
    source: "import os; print('reached', os.open('/dev/urandom', os.O_RDONLY))",
    ends: /^FileNotFoundError/,
  },
  { by: "a new file", source: "open('MARK', 'w'); print('reached')", ends: /Read-only file system/ },
  { by: "a new folder", source: "import os; os.mkdir('/x'); print('reached')", ends: refused },
  { by: "a link", source: "import os; os.symlink('/etc', '/x'); print('reached')", ends: refused },
  { by: "a removed file", source: "import os; os.remove('/lib/python311.zip'); print('reached')", ends: refused },
  { by: "mmap", source: "import mmap; print('reached', mmap.mmap(0, 10))", ends: refused },
  { by: "standard input", source: "print('reached', input())", ends: /^EOFError/ },
  // Attempts to read information about the host:
  {
    by: "the environment",
    source: "import os; assert 'ESCAPE_SECRET' in os.environ; print('reached')",
    ends: /^AssertionError/,
  },
  {
    by: "the machine",
    source: "import os; assert os.uname().sysname != 'Emscripten'; print('reached')",
    ends: /^AssertionError/,
  },
];
