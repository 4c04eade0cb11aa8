/**
 * Python prelude of all programs that this environment runs. `run_tests` and `run_probes` take a request as JSON and
 * print one line per result. Modules of a repository are imported from texts in the request, because the
 * interpreter's file system is thirty times as slow.
 */
export const harness = `
import ast, builtins, importlib, importlib.machinery, json, sys, traceback, unittest

count_calls = sys.modules["_runner"].count_calls

class Files:
    def __init__(self, files):
        self.files = files

    def find_spec(self, name, path=None, target=None):
        stem = name.replace(".", "/")
        if stem + ".py" in self.files:
            spec = importlib.machinery.ModuleSpec(name, self, origin="/testbed/" + stem + ".py")
            spec.has_location = True
            return spec
        if any(file.startswith(stem + "/") for file in self.files):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = module.__spec__.origin
        if path is not None:
            tree = count_calls(ast.parse(self.files[path.removeprefix("/testbed/")], path))
            exec(compile(tree, path, "exec"), module.__dict__)

class Nowhere:
    def write(self, text):
        return len(text)

    def flush(self):
        pass

class Outcome(unittest.TestResult):
    error = None
    is_passed = False

    def addSuccess(self, test):
        self.is_passed = self.error is None

    def addError(self, test, error):
        self.is_passed = False
        self.error = self.error or reason_of(error[1])

    addFailure = addError

    def addSkip(self, test, reason):
        self.error = "Skipped: " + reason

    def addExpectedFailure(self, test, error):
        self.error = "expected failure"

    def addUnexpectedSuccess(self, test):
        self.error = "unexpected success"

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addError(test, error)

def reason_of(error):
    lines = traceback.format_exception_only(error)
    line = lines[-1] if isinstance(error, SyntaxError) else lines[0]
    return " ".join(line.strip().split("\\n")[0].split("\\t"))[:200]

# What judges a test must be what it was, whatever the code under test did to it.
judges = [builtins, unittest, unittest.case, unittest.TestCase, unittest.case._Outcome, Outcome, unittest.TestResult]
as_made = [dict(vars(judge)) for judge in judges]

def is_intact():
    for judge, before in zip(judges, as_made):
        now = vars(judge)
        if len(now) != len(before) or any(now.get(name) is not before[name] for name in before):
            return False
    return sys.modules.get("unittest") is unittest

def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test

def run_tests(request):
    asked = json.loads(request)
    stdout, key = sys.stdout, asked["key"]
    def say(*words):
        stdout.write("\\t".join([key, *words]) + "\\n")
        stdout.flush()
    sys.stdout = sys.stderr = Nowhere()
    sys.meta_path.insert(0, Files(asked["files"]))
    loader = unittest.TestLoader()
    tests, is_collected = [], True
    for file in asked["testFiles"]:
        say("running", file, "", "")
        try:
            module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
            tests += [(file, test) for test in tests_of(loader.loadTestsFromModule(module))]
        except BaseException as error:
            say("error", file, "", reason_of(error))
            is_collected = False
    # As pytest, which runs nothing where a file cannot be imported.
    for file, test in tests if is_collected else []:
        name = type(test).__name__ + "::" + test._testMethodName
        if file + "::" + name in asked["skipped"]:
            continue
        say("running", file, name, "")
        outcome = Outcome()
        try:
            test.run(outcome)
        except KeyboardInterrupt as error:
            outcome.addError(test, (None, error, None))
        if outcome.is_passed and is_intact():
            say("passed", file, name, "")
        else:
            say("failed", file, name, outcome.error or "unittest was changed")
    say("done", "", "", "")

def run_probes(request):
    for probe in json.loads(request):
        try:
            correct, buggy = [values_of(files, probe["calls"]) for files in probe["versions"]]
        except Exception:
            print(json.dumps(None), flush=True)
            continue
        print(json.dumps([compare(*pair) for pair in zip(correct, buggy)]), flush=True)

def values_of(files, calls):
    finder = Files(files)
    sys.meta_path.insert(0, finder)
    values = []
    try:
        for module, call in calls:
            names = importlib.import_module(module).__dict__
            try:
                values.append((eval(call, names), None))
            except Exception as error:
                values.append((None, error))
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.split(".")[0] in ("src", "tests")]:
            del sys.modules[name]
    return values

def compare(correct, buggy):
    shown = ["!" + reason_of(error) if error is not None else repr(value) for value, error in (correct, buggy)]
    if correct[1] is not None or buggy[1] is not None:
        return [*shown, reason_of(buggy[1]) if buggy[1] is not None else "", shown[0] == shown[1]]
    try:
        unittest.TestCase().assertEqual(buggy[0], correct[0])
    except AssertionError as error:
        return [*shown, reason_of(error), False]
    return [*shown, "", True]
`;
