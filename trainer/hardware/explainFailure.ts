/** End of a process that tried an execution provider without success. */
export type Failure = {
  /** Error thrown by ONNX Runtime, if any. */
  thrown?: string | undefined;
  /** Output of ONNX Runtime and its libraries. Only here is a missing library named. */
  stderr: string;
  signal?: string | null | undefined;
};

/** Explains in plain words why a provider does not work. */
export function explainFailure({ thrown, stderr, signal }: Failure): string {
  const known = explainLibrary(stderr) ?? explainDriver(`${stderr}\n${thrown ?? ""}`);
  if (known !== undefined) return known;
  if (thrown !== undefined) return `${firstSentence(thrown)}${explainVulkan(stderr)}`;
  if (signal) return `it ended the process that tried it (${signal})`;
  return lastLine(stderr) ?? "the process that tried it said nothing";
}

/** Parses messages of glibc: `LIBRARY: cannot open shared object file: …`, or `LIBRARY: undefined symbol: NAME`. */
function explainLibrary(stderr: string): string | undefined {
  const [, provider = "", error = ""] = /Failed to load library (\S+) with error: (.*)/.exec(stderr) ?? [];
  const missing = /(?:^|\/)([^/\s]+): cannot open shared object file/.exec(error)?.[1];
  if (missing === undefined) return error === "" ? undefined : explainSymbol(error);
  if (provider.endsWith(missing)) {
    return `ONNX Runtime's file ${missing} is not there; the environment variable ARLARENA_CUDA names the folder that has it`;
  }
  if (missing === "libcuda.so.1") return "there is no NVIDIA driver: its library libcuda.so.1 cannot be found";
  return `the library ${missing} cannot be found; the environment variable LD_LIBRARY_PATH names the folders of such libraries`;
}

function explainSymbol(error: string): string {
  const symbol = /undefined symbol: (cu[A-Z]\w*)/.exec(error)?.[1];
  return symbol === undefined
    ? `its library cannot be loaded: ${error}`
    : `the NVIDIA driver is too old for CUDA 13, which needs 580 or newer: it has no ${symbol}`;
}

function explainDriver(text: string): string | undefined {
  if (/driver version is insufficient/i.test(text)) {
    return "the NVIDIA driver is too old for CUDA 13, which needs 580 or newer";
  }
  return /no CUDA-capable device/i.test(text) ? "the NVIDIA driver shows no GPU to this process" : undefined;
}

function explainVulkan(stderr: string): string {
  const missing = /Couldn't load Vulkan: (\S+): cannot open shared object file/.exec(stderr)?.[1];
  return missing === undefined ? "" : `; Vulkan's library ${missing} cannot be found`;
}

/** ONNX Runtime begins a message with its source location, which is removed. */
function firstSentence(message: string): string {
  const [text = ""] = message.replace(/^\/onnxruntime_src\/\S+ .*? was false\. /, "").split(/\.\s|\n/);
  return text.trim().slice(0, 200);
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1)?.trim().slice(0, 200) || undefined;
}
