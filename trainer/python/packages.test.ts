import { cp, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { loadPython } from "./loadPython.ts";
import { findSympy } from "./testing/wheels.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-packages-"));
afterAll(() => rm(folder, { recursive: true }));

describe("packages that programs import", () => {
  const names = ["sympy"] as const;

  it("are refused at the start where a wheel is missing or is another file", async () => {
    await expect(loadPython({ names, folder })).rejects.toThrow(/^Python package sympy: .*mpmath-1\.3\.0.* be read$/);
    const [wheel] = wheelsOf(names);
    const path = join(folder, wheel?.file ?? "");
    await writeFile(path, "other");
    await expect(loadPython({ names, folder })).rejects.toThrow(`${path} has the checksum d9298a10d1b0`);
  });

  const shown = [
    "import sympy\nprint(sympy.Rational(1, 3) + 1, 'sympy' in dir(), sympy.symbols('x') is sympy.symbols('x'))",
    "from sympy import *\nx = symbols('x')\nprint(integrate(sin(x)**2, x), factorint(360))",
    "import sympy, sys\nprint(len(sys.modules), id(sympy), [id(o) for o in (sympy.S.One, sympy.sin)])",
    "from sympy import sympify\nsympify(\"__import__('os').system('true')\")",
    "import numpy",
  ];

  it(
    "give the same outcomes from the kept memory as from an import, whatever ran before",
    { tags: "soak", timeout: 900_000 },
    async (context) => {
      const packages = await findSympy();
      if (packages === undefined) return context.skip("sympy is fetched from a package index (needs PyPI)");
      const one = await loadPython(packages);
      await cp(packages.folder, folder, { recursive: true });
      for (const name of await readdir(folder)) if (name.endsWith(".gz")) await truncate(join(folder, name), 1e6);
      const other = await loadPython({ names, folder });
      const outcomes = shown.map((source) => one({ source }));
      expect(outcomes.slice(0, 2)).toEqual([
        { stdout: "4/3 True True\n", error: "", isTimeout: false },
        { stdout: "x/2 - sin(x)*cos(x)/2 {2: 3, 3: 2, 5: 1}\n", error: "", isTimeout: false },
      ]);
      expect(outcomes.slice(3).map(({ error }) => error)).toEqual([
        "PermissionError: [Errno 1] Operation not permitted",
        "ModuleNotFoundError: No module named 'numpy'",
      ]);
      other({ source: "import sympy\nsympy.Rational.__add__ = None\nsympy.sin = None\nx = [0] * 10 ** 6" });
      expect(shown.map((source) => other({ source }))).toEqual(outcomes);
      // The test imports sympy twice, with nine seconds of CPU time each.
    },
  );
});
