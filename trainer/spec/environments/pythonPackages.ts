import { z } from "zod";

/** Schema of the Python packages that programs in actions can import besides the standard library. */
export const PythonPackage = z.enum(["sympy"]);
export type PythonPackage = z.infer<typeof PythonPackage>;

/** Python package file pinned by its hash, so that runs import the same code on every machine. */
export type Wheel = { readonly project: string; readonly file: string; readonly sha256: string };

const wheels: Readonly<Record<PythonPackage, readonly Wheel[]>> = {
  sympy: [
    {
      project: "mpmath",
      file: "mpmath-1.3.0-py3-none-any.whl",
      sha256: "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c",
    },
    {
      project: "sympy",
      file: "sympy-1.13.3-py3-none-any.whl",
      sha256: "54612cf55a62755ee71824ce692986f23c88ffa77207b30c1368eda4a7060f73",
    },
  ],
};

/** Returns the wheel files of packages and of their dependencies. All are pure Python. */
export function wheelsOf(packages: readonly PythonPackage[]): readonly Wheel[] {
  return [...new Set(packages.flatMap((name) => wheels[name]))];
}

/** Returns a key of a set of packages, made from the hashes of its wheel files. */
export function packagesKey(packages: readonly PythonPackage[]): string {
  return wheelsOf(packages)
    .map(({ project, sha256 }) => `${project}-${sha256.slice(0, 8)}`)
    .join("-");
}
