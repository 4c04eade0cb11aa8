/**
 * The Python part of the engine. `prepare` runs `prelude`, `run` the program in `source`, both as `__main__`. `run`
 * returns a mark and the last line of the traceback, empty without an error. The mark "plain" means that the program
 * cannot have left anything behind.
 */
export const runner = `
import ast, importlib, io, sys
import bisect, cmath, collections, copy, datetime, decimal, fractions, functools, heapq, itertools, json
import math, operator, random, re, statistics, string, time, typing

# What connects Pyodide with JavaScript is refused when it is called. Its names are missing, in CPython's words.
connecting = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")
class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in connecting:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

from _pyodide import _importhook
importlib._bootstrap._get_module_not_found_error = _importhook.orig_get_module_not_found_error
frozen = [finder for finder in sys.meta_path if finder.__module__ is None or "frozen" in str(finder.__module__)]
sys.meta_path[:] = [Missing, *frozen]
for name in list(sys.modules):
    if name.split(".")[0] in connecting:
        del sys.modules[name]
del sys.modules["__main__"].__dict__["_pyodide_core"]
prelude = ""
source = ""
is_prelude_plain = True

def prepare():
    global is_prelude_plain
    exec(compile(prelude, "<prelude>", "exec"), sys.modules["__main__"].__dict__)
    is_prelude_plain = is_plain(ast.parse(prelude))

def run():
    main = sys.modules["__main__"].__dict__
    before = dict(main)
    mark = "other"
    try:
        tree = ast.parse(source, "<string>")
        mark = "plain" if is_prelude_plain and is_plain(tree) else "other"
        exec(compile(count_calls(tree), "<string>", "exec"), main)
        error = ""
    except SystemExit as leaving:
        error = "" if leaving.code is None or isinstance(leaving.code, int) else str(leaving.code)
    except BaseException as raised:
        error = describe(raised)
    sys.__stdout__.flush()
    main.clear()
    main.update(before)
    return mark + error.rstrip().split("\\n")[-1]

# CPython counts jumps back and calls of C. A function of Python that calls itself does neither, so every function begins
# with a jump: a loop of one round that binds no name. A lambda has no room for one, and a comprehension in it would be one
# more function a call; so a lambda that calls itself without end is stopped by the clock of the process.
def count_calls(tree):
    for node in ast.walk(tree):
        if type(node) in (ast.FunctionDef, ast.AsyncFunctionDef):
            has_words = ast.get_docstring(node, clean=False) is not None
            node.body.insert(int(has_words), ast.copy_location(ast.For(*jump), node))
    return ast.fix_missing_locations(tree)

loop = ast.parse("for [] in ((),): pass").body[0]
jump = (loop.target, loop.iter, loop.body, [])

def describe(raised):
    # This library of C has other numbers and words for errors.
    if isinstance(raised, OverflowError) and raised.args == (68, "Result not representable"):
        raised.args = (34, "Numerical result out of range")
    if isinstance(raised, OSError):
        raised.errno = {2: 13, 20: 17, 31: 21, 44: 2, 54: 20, 63: 1, 69: 30}.get(raised.errno, raised.errno)
    printed, stderr = io.StringIO(), sys.stderr
    sys.stderr = printed
    sys.__excepthook__(type(raised), raised, raised.__traceback__.tb_next)
    sys.stderr = stderr
    return printed.getvalue()

# A plain program makes values and nothing else: it defines no class, sets no attribute, names nothing that reaches into
# the interpreter, and imports only modules without a state.
stateless = {"math", "cmath", "itertools", "fractions", "operator"}
reaching = {
    "breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr", "globals", "hash", "help", "id", "input", "locals",
    "memoryview", "object", "open", "setattr", "super", "type", "vars",
}
making = (ast.Lambda, ast.FunctionDef)

def is_plain(tree):
    makes_functions = makes_sets = False
    for node in ast.walk(tree):
        kind = type(node)
        if kind in others:
            return False
        if kind is ast.Name and (node.id in reaching or node.id.startswith("_")):
            return False
        if kind is ast.Attribute and (type(node.ctx) is not ast.Load or node.attr.startswith("_") or node.attr.endswith("_")):
            return False
        if kind is ast.Import and any(alias.name not in stateless for alias in node.names):
            return False
        if kind is ast.ImportFrom and (node.module not in stateless or node.level):
            return False
        makes_functions = makes_functions or kind in making
        makes_sets = makes_sets or kind in (ast.Set, ast.SetComp) or kind is ast.Name and node.id in ("set", "frozenset")
    # A set orders functions by their addresses.
    return not (makes_functions and makes_sets)

others = {ast.ClassDef, ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.With}
`;
