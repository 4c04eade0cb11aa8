/**
 * Where a job finds pretrained models, and by whose account: what huggingface_hub reads, here and on a cluster whose
 * machines share our folders. Proxies are theirs too.
 */
export const hubVariables = [
  "HF_ENDPOINT",
  "HF_HOME",
  "HF_HUB_CACHE",
  "HF_HUB_OFFLINE",
  "HF_TOKEN",
  "HF_TOKEN_PATH",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "HUGGINGFACE_HUB_CACHE",
  "NO_PROXY",
  "TRANSFORMERS_OFFLINE",
  "XDG_CACHE_HOME",
  "http_proxy",
  "https_proxy",
  "no_proxy",
] as const;
