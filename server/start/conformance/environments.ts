import { verlReleases } from "#packages/trainers";

/** A folder with Python packages that some tests need. */
export type PythonEnvironment = {
  name: string;
  /** True if it needs no torch, so that `.ci/run` installs it. */
  isLight: boolean;
  /** Environment whose packages this one has too, so that torch (6 GB) is installed once. */
  above?: string;
  /** Pinned packages, as pip reads them. pip chooses their dependencies. */
  packages: readonly string[];
  /** Pinned packages whose dependencies, such as samplers for GPUs, no test needs. */
  alone?: readonly string[];
  /** Environment variables that tests read, and programs of this environment that they name. */
  variables: Readonly<Record<string, string>>;
};

/** All pinned versions. A newer release is reported, and a person decides about it. */
export const environments: readonly PythonEnvironment[] = [
  {
    name: "clients",
    isLight: true,
    packages: ["mlflow-skinny==3.17.2", "networkx==3.6.1", "pandas==3.1.1", "optuna==5.0.0", "schemathesis==4.32.5"],
    variables: {
      ARLARENA_MLFLOW_PYTHON: "python",
      ARLARENA_OPTUNA_PYTHON: "python",
      ARLARENA_RECOUNT_PYTHON: "python",
      ARLARENA_SCHEMATHESIS: "schemathesis",
    },
  },
  {
    name: "hydra",
    isLight: true,
    packages: ["hydra-core==1.3.8"],
    variables: { ARLARENA_HYDRA_PYTHON: "python" },
  },
  {
    name: "notebook",
    isLight: false,
    packages: [
      "nbclient==0.11.0",
      "ipykernel==7.4.0",
      "duckdb==2.0.1",
      "polars==2.1.0",
      "pandas==3.1.1",
      "pyarrow==26.0.1",
      "matplotlib==3.11.2",
      "requests==2.34.2",
    ],
    variables: { ARLARENA_NOTEBOOK_PYTHON: "python" },
  },
  { name: "ray", isLight: false, packages: ["ray[default]==2.60.0"], variables: { ARLARENA_RAY_PYTHON: "python" } },
  {
    name: "textworld",
    isLight: false,
    packages: ["textworld==1.7.0", "onnxruntime==1.32.0"],
    variables: { ARLARENA_TEXTWORLD_PYTHON: "python" },
  },
  {
    name: "torch",
    isLight: false,
    packages: [
      "torch==2.15.0",
      "transformers==5.24.0",
      "trl==1.16.0",
      "peft==0.21.2",
      "accelerate==1.15.0",
      "mlflow-skinny==3.17.2",
    ],
    variables: { ARLARENA_TRL_PYTHON: "python", ARLARENA_TRANSFORMERS_PYTHON: "python" },
  },
  {
    name: "verl",
    isLight: false,
    above: "torch",
    packages: ["verl==0.9.1", "transformers==5.10.4", "tensordict==0.10.0", "orjson==3.13.0"],
    variables: { ARLARENA_VERL_PYTHON: "python" },
  },
  {
    name: "areal",
    isLight: false,
    above: "torch",
    packages: [
      "hydra-core==1.4.0.dev1",
      "omegaconf==2.4.0.dev2",
      "aiofiles==25.1.0",
      "aiohttp==3.14.5",
      "colorlog==6.12.0",
      "einops==0.8.2",
      "flask==3.1.3",
      "httpx==0.28.1",
      "lark==1.3.1",
      "numba==0.68.1",
      "openai==3.57.0",
      "orjson==3.13.0",
      "pillow==13.0.0",
      "ray==2.60.0",
      "tenacity==9.2.1",
      "torchdata==0.11.0",
      "uvloop==0.23.0",
    ],
    alone: ["areal==1.0.4"],
    variables: { ARLARENA_AREAL_PYTHON: "python" },
  },
];

/** Releases of a package that are unpacked beside each other, without their dependencies. */
export const unpacked = {
  variable: "ARLARENA_VERL_TREES",
  package: "verl",
  releases: verlReleases,
};
