import { expect, it } from "vitest";
import { explainFailure } from "./tryProvider.ts";

/** Messages of onnxruntime-node 1.30 with provider files from the Python wheel. Only the folder's name is shorter. */
const logged = (file: string, error: string) =>
  `\u001B[1;31m2026-11-23 22:43:44.583764896 [E:onnxruntime:onnxruntime-node, provider_bridge_ort.cc:2146 Create] /onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:1988 onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library /a/${file} with error: ${error}\n\u001B[m\n`;
const thrown = "OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library";
const cuda = "libonnxruntime_providers_cuda.so";
const missing = "cannot open shared object file: No such file or directory";

it.each([
  [
    "the provider itself",
    logged("libonnxruntime_providers_shared.so", `/a/libonnxruntime_providers_shared.so: ${missing}`),
    "ONNX Runtime's file libonnxruntime_providers_shared.so is not there; the environment variable ARLARENA_CUDA names the folder that has it",
  ],
  [
    "a library of CUDA",
    logged(cuda, `libcublasLt.so.13: ${missing}`),
    "the library libcublasLt.so.13 cannot be found; the environment variable LD_LIBRARY_PATH names the folders of such libraries",
  ],
  [
    "the driver",
    logged(cuda, `libcuda.so.1: ${missing}`),
    "there is no NVIDIA driver: its library libcuda.so.1 cannot be found",
  ],
  [
    "a function of the driver",
    logged(cuda, `/a/${cuda}: undefined symbol: cuTensorMapEncodeTiled`),
    "the NVIDIA driver is too old for CUDA 13, which needs 580 or newer: it has no cuTensorMapEncodeTiled",
  ],
])("names what is missing: %s", (_, stderr, words) => {
  expect(explainFailure({ thrown, stderr })).toBe(words);
});

it.each([
  [
    "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=0 ; hostname=vm ; expr=cudaSetDevice(info_.device_id);",
    "the NVIDIA driver is too old for CUDA 13, which needs 580 or newer",
  ],
  ["CUDA failure 100: no CUDA-capable device is detected ; GPU=0", "the NVIDIA driver shows no GPU to this process"],
])("says what the driver's own error means: %s", (error, words) => {
  expect(explainFailure({ thrown: error, stderr: "" })).toBe(words);
});

it("says why WebGPU finds no adapter", () => {
  const adapter =
    "/onnxruntime_src/onnxruntime/core/providers/webgpu/webgpu_context.cc:136 onnxruntime::webgpu::WebGpuContext::Initialize(const onnxruntime::webgpu::WebGpuContextConfig&)::<lambda()> adapter_result.status == wgpu::RequestAdapterStatus::Success was false. Failed to get a WebGPU adapter: No supported adapters ";
  const stderr = `Warning: Couldn't load Vulkan: libvulkan.so.1: ${missing}\n    at operator() (/build/x.cpp:368)\n`;
  expect(explainFailure({ thrown: adapter, stderr })).toBe(
    "Failed to get a WebGPU adapter: No supported adapters; Vulkan's library libvulkan.so.1 cannot be found",
  );
  expect(explainFailure({ thrown: adapter, stderr: "" })).toBe("Failed to get a WebGPU adapter: No supported adapters");
});

it("says how the process ended where nobody said anything", () => {
  expect(explainFailure({ stderr: "", signal: "SIGABRT" })).toBe("it ended the process that tried it (SIGABRT)");
  expect(explainFailure({ stderr: "one\nCannot find module\n" })).toBe("Cannot find module");
  expect(explainFailure({ stderr: "" })).toBe("the process that tried it said nothing");
});
